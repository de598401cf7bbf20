import { useUndo } from 'catalog-client/react';
import type { FieldReport, UndoGroup, UndoTarget } from 'catalog-client/undo';
import { useEffect, useState } from 'react';
import { ChangeTable, ItemLink, useNames } from './Changes.tsx';
import { Button, More, StepTitle } from './elements.tsx';
import { usePage } from './language.ts';
import { local, remember } from './storage.ts';

/** So many fields are shown, and groups of them. All are undone. */
const maxShown = 100;
const maxGroups = 8;

/** An undo of what is chosen elsewhere on the page. One that was interrupted by a reload is there from the start. */
export function useUndoing() {
  const { client, catalog } = usePage();
  const undoing = useUndo(client, { storage: local });
  const { step } = undoing;
  const by = `${catalog.account} ${catalog.user}`;
  const [target, setTarget] = useState(() => openTarget(by));
  const choose = (chosen: UndoTarget) => {
    if (step === 'undoing') return;
    setTarget(chosen);
    undoing.preview(chosen);
  };
  const start = (chosen: UndoTarget) => {
    remember(local, 'mistake', JSON.stringify({ by, ...chosen }));
    undoing.start(chosen);
  };
  useEffect(() => {
    if (step === 'done') local?.removeItem('mistake');
  }, [step]);
  return { undoing, target, choose, start };
}

function openTarget(by: string) {
  const { by: owner, from, to, ...others } = JSON.parse(local?.getItem('mistake') ?? '{}');
  return owner === by ? ({ ...others, from: new Date(from), to: new Date(to) } as UndoTarget) : undefined;
}

export function UndoChanges({ undoing, target, choose, start }: ReturnType<typeof useUndoing>) {
  const { say, texts, time } = usePage();
  if (target === undefined) return null;
  const { step } = undoing;
  const isBusy = step === 'previewing' || step === 'undoing';
  const isInterrupted = step === 'paused' || step === 'ready';
  const isUseful = step === 'previewed' && undoing.summary.some(({ result }) => result === 'put back');
  const count = target.items?.length;
  return (
    <article aria-labelledby="undo-title">
      <StepTitle id="undo-title" step={step}>
        {say('undo')}
      </StepTitle>
      <p>
        {count === undefined
          ? say('undo_of', { user: target.users.join(', '), time: time(target.from) })
          : say('import_of', { count, time: time(target.from) })}
      </p>
      <Report undoing={undoing} isInterrupted={isInterrupted} />
      <div className="row">
        {(isInterrupted || isUseful) && <Button className="main" text={say('undo')} onClick={() => start(target)} />}
        {(step === 'failed' || (step === 'previewed' && !isUseful)) && (
          <Button text={texts.steps.preview} onClick={() => choose(target)} />
        )}
        {isBusy && <Button text={say('stop')} onClick={undoing.pause} />}
      </div>
    </article>
  );
}

interface ReportProps {
  readonly undoing: ReturnType<typeof useUndo>;
  readonly isInterrupted: boolean;
}

/** One sentence, and behind it what would become, or has become, of each field. */
function Report({ undoing, isInterrupted }: ReportProps) {
  const { say } = usePage();
  const { step } = undoing;
  const reasonOf = useReason();
  const progress = 'progress' in undoing ? undoing.progress : undefined;
  const report = step === 'previewed' ? undoing.report : (progress?.report ?? []);
  const fields = step === 'previewed' ? report : report.filter(({ result }) => result !== 'right already');
  const shown = fields.slice(0, maxShown);
  const names = useNames(step === 'previewed' || step === 'done' ? shown.map(({ item }) => item) : []);
  const changes = shown.map(({ item, field, before, given, ...rest }, index) => ({
    item: shown[index - 1]?.item !== item && <ItemLink id={item} names={names} />,
    change: { field, from: before, to: given },
    result: reasonOf(rest),
  }));
  return (
    <>
      <p role="status">{useReportText({ undoing, isInterrupted, stay: fields.length })}</p>
      {step === 'done' &&
        Array.from(progress?.rejected ?? [], ([id, reason]) => (
          <p key={id}>{say('item_refused', { name: names.get(id) ?? id, reason })}</p>
        ))}
      {changes.length > 0 && (
        <details>
          <summary>{say('undo_fields')}</summary>
          <ChangeTable changes={changes} />
          <More count={fields.length - changes.length} />
        </details>
      )}
    </>
  );
}

/** Why a field goes back or stays, and because of whom. */
function useReason() {
  const { say, reason } = usePage();
  return ({ result, by }: Pick<FieldReport, 'result' | 'by'>) => {
    const text = reason({ rule: result });
    return by ? say('by', { result: text, user: by }) : text;
  };
}

/** Sums up a preview, as "2 new items become inactive; Price goes back in 3 items." */
function useSummary() {
  const { say, label } = usePage();
  const reasonOf = useReason();
  return (summary: readonly UndoGroup[]): string => {
    const sentences = summary.slice(0, maxGroups).map(({ field, count, ...rest }) => {
      const values = { count, field: label(field ?? ''), reason: reasonOf(rest) };
      if (rest.result === 'put back') return say(field === undefined ? 'items_back' : 'field_back', values);
      return say(field === undefined ? 'items_stay' : 'field_stays', values);
    });
    if (summary.length > maxGroups) sentences.push(say('and_more', { count: summary.length - maxGroups }));
    return `${sentences.join('; ')}.`;
  };
}

/** A text alone, not a component: beside others, React could not remove one that the browser has translated. */
function useReportText({ undoing, isInterrupted, stay }: ReportProps & { readonly stay: number }): string {
  const { say, time, notice } = usePage();
  const sumUp = useSummary();
  const { step } = undoing;
  if (isInterrupted) return say('undo_paused');
  if ('failure' in undoing && undoing.failure !== undefined) return notice(undoing.failure);
  if (step === 'ready' || step === 'failed') return '';
  const { known = 0, recorded = 0, changes = 0, newestWrite } = recordedIn(undoing) ?? {};
  const at = newestWrite === undefined ? '…' : time(newestWrite);
  if (step === 'previewing' && recorded < known) return say('undo_waiting', { recorded, known });
  if (step === 'previewing') return say('undo_previewing', { count: changes, time: at });
  const found = step === 'previewed' ? undoing.report : undoing.progress?.report;
  if ((step === 'previewed' || step === 'done') && found?.length === 0) return say('undo_nothing', { time: at });
  if (step === 'previewed') return sumUp(undoing.summary);
  const { updates = 0, left = 0 } = undoing.progress ?? {};
  return say(`undo_${step}`, { count: updates, stay, left, time: at });
}

/** How far the changes are recorded, in each step that knows it. */
function recordedIn(undoing: ReportProps['undoing']) {
  if (undoing.step === 'previewing') return undoing.read;
  if (undoing.step === 'previewed') return undoing;
  return 'progress' in undoing ? undoing.progress : undefined;
}
