import { type CustomField, customKinds, type InputName, type ShownItemForm } from 'catalog-client/react';
import { identifierNames } from 'catalog-client/sheetImport';
import { useEffect, useEffectEvent, useRef } from 'react';
import { ItemLink, useNames } from './Changes.tsx';
import { Button, Checkbox, Control, Field, type Options, Question } from './elements.tsx';
import { usePage } from './language.ts';
import { go } from './route.ts';

type Props = { readonly form: ShownItemForm };

type Group = readonly [legend: 'classification' | 'quantity_and_costs' | '', names: readonly InputName[]];

const groups: readonly Group[] = [
  ['', ['name']],
  ['', ['value', ...identifierNames, 'tag']],
  ['classification', ['type', 'category', 'active']],
  ['quantity_and_costs', ['qty', 'unit', 'tax', 'cost']],
];

/** How many decimals an amount is shown with. */
const amounts: Readonly<Record<string, number>> = { value: 2, cost: 2, tax: 2, qty: 0 };

export function ItemForm({ form, id }: Props & { readonly id: number | 'new' }) {
  const { say, may } = usePage();
  const { item, messages } = form;
  const shown = useRef<HTMLFormElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (Object.keys(messages.inputs).length > 0)
      shown.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [messages]);
  const isOpen = id === 'new' || item?.id === id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each item that is opened, unless one that is typed in was saved
  useEffect(() => {
    if (isOpen && !shown.current?.contains(document.activeElement)) title.current?.focus();
  }, [id, isOpen]);
  const mayEdit = may('catalog:edit');
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && document.activeElement?.id !== 'search') go('#/items');
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (mayEdit && isOpen && form.isDirty) form.save();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  return (
    <form id="form" ref={shown} noValidate onSubmit={form.save} aria-busy={!isOpen}>
      <div className="row">
        <h2 id="title" className="rest" ref={title} tabIndex={-1}>
          {isOpen ? (item?.name ?? say('new_item')) : messages.form || say('loading')}
        </h2>
        {item?.active === false && <mark>{say('inactive')}</mark>}
        <Button className="quiet" text="×" aria-label={say('close')} onClick={() => go('#/items')} />
      </div>
      {isOpen && (mayEdit ? <Fields form={form} /> : <Values form={form} />)}
    </form>
  );
}

/** All fields: those that have no place of their own come last. */
function Fields({ form }: Props) {
  const { say } = usePage();
  const placed = groups.flatMap(([, names]) => names);
  const others = (Object.keys(form.values) as InputName[]).filter((name) => !placed.includes(name));
  return (
    <>
      {[...groups, ['', others] as const].map(([legend, names]) => (
        <fieldset key={names[0]}>
          {legend && <legend>{say(legend)}</legend>}
          <div className="fields">
            {names.map((name) => (
              <ItemField key={name} form={form} name={name} />
            ))}
          </div>
        </fieldset>
      ))}
      <CustomFields form={form} />
      <SaveBar form={form} />
    </>
  );
}

/** An item as a reader sees it, without a form. */
function Values({ form }: Props) {
  const { label, value } = usePage();
  const { metadata = {}, ...item } = form.item ?? {};
  const fields = Object.entries(item).filter(([name]) => name in form.values);
  const custom = Object.entries(metadata).map(([key, each]) => [`metadata.${key}`, each] as const);
  return (
    <table>
      <tbody>
        {[...fields, ...custom].map(([name, each]) => (
          <tr key={name}>
            <th scope="row">{label(name)}</th>
            <td>{value(name, each)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Asks which number an ambiguous text is, and shows an amount that is saved otherwise than it is typed. */
function ItemField({ form, name }: Props & { name: InputName }) {
  const { say, label, input, amount, may, reason } = usePage();
  const options = useOptions(form);
  const error = form.errors[name];
  const names = useNames(error?.item === undefined ? [] : [error.item]);
  const shown = form.values[name];
  if (name === 'cost' && !may('catalog:cost:read')) return null;
  if (name === 'active')
    return (
      <Checkbox id={name} label={label(name)} checked={shown === 'true'} onPick={(is) => form.setValue(name, is)} />
    );
  const decimals = amounts[name];
  const written = (text: string) => (decimals === undefined || text === '' ? text : input(Number(text), decimals));
  const text = form.typed[name] ?? written(shown);
  const parsed = form.parsed[name];
  const hint = name === 'value' ? say('no_currency') : undefined;
  const isOther = parsed !== undefined && parsed !== Number(text.replace(',', '.'));
  return (
    <Field
      id={name}
      label={label(name)}
      value={text}
      placeholder={written(form.placeholders[name] ?? '')}
      onType={(typed) => form.setValue(name, typed)}
      options={options[name]}
      rows={name === 'description' ? 3 : undefined}
      inputMode={decimals === undefined ? undefined : 'decimal'}
      reason={error && reason({ ...error, field: name, item: names.get(error.item ?? 0) ?? error.item })}
      hint={isOther ? say('saved_as', { amount: amount(parsed) }) : hint}
    >
      {error?.item !== undefined && <ItemLink id={error.item} names={names} />}
      {error?.choices && (
        <div className="row">
          {error.choices.map((choice) => (
            <Button key={choice} text={amount(choice)} onClick={() => form.setValue(name, choice)} />
          ))}
        </div>
      )}
    </Field>
  );
}

function useOptions({ item }: ShownItemForm): Partial<Record<InputName, Options>> {
  const { say, texts } = usePage();
  const { categories, units } = usePage().catalog;
  const offered = categories.filter(({ id, archived }) => !archived || id === item?.category);
  return {
    type: Object.entries(texts.types),
    category: [['', say('none')], ...offered.map(({ id, name }) => [String(id), name] as const)],
    unit: units.map(({ unit }) => [unit, unit]),
  };
}

function CustomFields({ form: { customFields: custom, messages, setCustomFields } }: Props) {
  const { say, label, texts, reason } = usePage();
  // Nobody is offered JSON who has none.
  const kinds = customKinds.filter((kind) => kind !== 'JSON' || custom.some((field) => field.kind === kind));
  return (
    <fieldset id="custom">
      <legend>{label('metadata')}</legend>
      {custom.map(({ key, kind, text, error }, index) => {
        const name = key || say('custom_new');
        const put = (more: Partial<CustomField>) =>
          setCustomFields(custom.map((one, at) => (at === index ? { ...one, ...more } : one)));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
          <div className="row" key={index}>
            <Control aria-label={say('custom_name', { name })} value={key} onType={(typed) => put({ key: typed })} />
            <Control
              aria-label={say('custom_kind', { name })}
              value={kind}
              options={kinds.map((one) => [one, texts.kinds[one]])}
              onType={(one) => put({ kind: one as typeof kind })}
            />
            <Control
              aria-label={say('custom_value', { name })}
              aria-invalid={error ? true : undefined}
              value={text}
              options={
                kind === 'yes or no' ? Object.entries({ '': '', true: say('yes'), false: say('no') }) : undefined
              }
              onType={(typed) => put({ text: typed })}
            />
            <Button
              className="quiet"
              text="×"
              aria-label={say('custom_remove', { name })}
              onClick={() => setCustomFields(custom.filter((_, at) => at !== index))}
            />
            {error && <small className="wrong">{reason(error)}</small>}
          </div>
        );
      })}
      <p className="wrong">{messages.inputs['metadata']}</p>
      <Button
        className="quiet"
        text={say('custom_add')}
        onClick={() => setCustomFields([...custom, { key: '', kind: 'text', text: '' }])}
      />
    </fieldset>
  );
}

/** Stays in view. */
function SaveBar({ form }: Props) {
  const { say, time } = usePage();
  const { status, isDirty, item, messages, notice, reset } = form;
  const at = item && time(item.updated_at);
  const discard = () => confirm(say('discard_all')) && reset();
  const noticeText = () => {
    if (notice?.code === 'conflict') return say('both', { user: notice.user, time: at });
    const isSignedOut = notice?.code === 'refused' && notice.status === 401;
    return isSignedOut ? '' : messages.form; // the sign-in says it
  };
  return (
    <div id="bar-save">
      <p role="alert">{noticeText()}</p>
      {status === 'conflict' && <Conflict form={form} />}
      {status === 'unconfirmed' && (
        <Question
          text={say(form.isExpired ? 'expired' : 'lost', { name: form.unconfirmed.name })}
          answers={[
            [say('lost_same'), () => form.resolveUnconfirmed('same')],
            [say('lost_other'), () => form.resolveUnconfirmed('new')],
          ]}
        />
      )}
      <div className="row">
        <small className="rest" role="status">
          {status === 'saving' || status === 'saved' ? say(status) : isDirty && say('unsaved')}
        </small>
        {isDirty && <Button className="outline secondary" text={say('discard')} onClick={discard} />}
        <Button type="submit" text={say('save')} aria-disabled={status === 'saving'} />
      </div>
    </div>
  );
}

/** The fields that both have changed, each to be decided, and those that only others have changed. */
function Conflict({ form: { conflict, decide, notice: found } }: Props) {
  const { say, label, value, notice } = usePage();
  return (
    <>
      {conflict.map(({ name, mine, theirs }) => (
        <Question
          key={name}
          text={label(name)}
          answers={[
            [say('keep', { value: value(name, mine) }), () => decide(name, true)],
            [say('take', { value: value(name, theirs) }), () => decide(name, false)],
          ]}
        />
      ))}
      {found?.code === 'conflict' && found.others.length > 0 && (
        <small>
          {notice({
            code: 'others',
            others: found.others.map((each) => ({ ...each, name: label(each.name), to: value(each.name, each.to) })),
          })}
        </small>
      )}
    </>
  );
}
