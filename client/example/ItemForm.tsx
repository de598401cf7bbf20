import type { Catalog } from 'catalog-client';
import { type CustomField, customKinds, type InputName, type useItemForm } from 'catalog-client/react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button, Checkbox, Select, submits, Table, type TableRow } from './elements.tsx';
import { useLanguage } from './language.ts';
import { addressOf } from './route.ts';

interface Props {
  readonly form: ReturnType<typeof useItemForm>;
  readonly catalog: Catalog;
}

const amounts = { value: 2, cost: 2, tax: 2, qty: 0 } as const;
const isAmount = (name: InputName): name is keyof typeof amounts => Object.hasOwn(amounts, name);

export function ItemForm({ form, catalog, id }: Props & { readonly id: number | 'new' }) {
  const { say } = useLanguage();
  const { loaded, status, messages } = form;
  const shown = useRef<HTMLFormElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (Object.keys(messages.inputs).length > 0)
      shown.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [messages]);
  const isOpen = id === 'new' || loaded?.item.id === id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each item that is opened
  useEffect(() => {
    if (isOpen) title.current?.focus();
  }, [id, isOpen]);
  const isMissing = status === 'missing';
  const mayEdit = catalog.permissions.includes('catalog:edit');
  const name = isMissing ? say('missing') : id === 'new' ? say('new_item') : loaded?.item.name;
  return (
    <form id="form" ref={shown} noValidate onSubmit={submits(form.save)} aria-busy={!isOpen}>
      <div className="row">
        <h2 id="title" ref={title} tabIndex={-1}>
          {name ?? say('loading')}
        </h2>
        {loaded?.item.active === false && <mark>{say('inactive')}</mark>}
        <a id="close" href={addressOf()} aria-label={say('back')}>
          ×
        </a>
      </div>
      {isOpen && (mayEdit ? <Fields form={form} catalog={catalog} /> : <Values form={form} />)}
      {isOpen && mayEdit && <SaveBar form={form} />}
    </form>
  );
}

function Fields({ form, catalog }: Props) {
  const { say, label } = useLanguage();
  const field = (name: InputName) => <Field key={name} form={form} catalog={catalog} name={name} />;
  const seesCost = catalog.permissions.includes('catalog:cost:read');
  return (
    <>
      <Group names={[field('name'), field('value')]} />
      <Group names={[field('sku'), field('pn')]} />
      <Group legend={say('classification')} names={[field('type'), field('category'), field('tag')]}>
        <Checkbox
          id="active"
          label={label('active')}
          checked={form.textOf('active') === 'true'}
          onPick={(checked) => form.type('active', String(checked))}
        />
      </Group>
      <Group
        legend={say('quantity_and_costs')}
        names={[field('qty'), field('unit'), field('tax'), ...(seesCost ? [field('cost')] : [])]}
      />
      <Group legend={say('details')} names={[field('description')]}>
        <CustomFields form={form} />
      </Group>
    </>
  );
}

const Group = (group: { legend?: string; names: readonly ReactNode[]; children?: ReactNode }) => (
  <fieldset>
    {group.legend && <legend>{group.legend}</legend>}
    <div className="fields">{group.names}</div>
    {group.children}
  </fieldset>
);

/** What a reader sees: no form. */
function Values({ form: { loaded } }: Pick<Props, 'form'>) {
  const { label, value } = useLanguage();
  const { metadata = {}, ...item } = loaded?.item ?? {};
  const fields = Object.entries(item).filter(([name]) => shown.includes(name));
  return (
    <dl>
      {[...fields, ...Object.entries(metadata)].map(([name, each]) => (
        <div key={name}>
          <dt>{label(name)}</dt>
          <dd>{value(name, each)}</dd>
        </div>
      ))}
    </dl>
  );
}

const shown = ['value', 'sku', 'pn', 'type', 'category', 'tag', 'qty', 'unit', 'tax', 'cost', 'description'];

/** What could be two numbers is asked, and what is saved otherwise than it is typed is said. */
function Field({ form, catalog, name }: Props & { name: InputName }) {
  const language = useLanguage();
  const { [name]: problem } = form.problems;
  const reason = form.messages.inputs[name] ?? (problem?.limit === undefined ? undefined : language.reason(problem));
  const decimals = isAmount(name) ? amounts[name] : undefined;
  const shown = form.textOf(name);
  const text = form.typed[name] ?? (decimals === undefined ? shown : language.input(Number(shown), decimals));
  const { [name as 'value']: saved } = form.saved;
  const isOther = saved !== undefined && saved !== Number(text.replace(',', '.'));
  const describe = { 'aria-invalid': reason !== undefined, 'aria-describedby': `${name}-reason ${name}-hint` };
  const input = { id: name, name, value: text, ...describe };
  const type = (given: string) => form.type(name, given);
  const onChange = ({ target }: { target: { value: string } }) => type(target.value);
  return (
    <div className={`field ${name}`}>
      <label htmlFor={name}>{language.label(name)}</label>
      {name === 'type' || name === 'category' || name === 'unit' ? (
        <Select {...input} options={optionsOf(catalog, form, language)[name]} onPick={type} />
      ) : name === 'description' ? (
        <textarea rows={3} {...input} onChange={onChange} />
      ) : (
        <input
          autoComplete="off"
          inputMode={decimals === undefined ? 'text' : 'decimal'}
          {...input}
          onChange={onChange}
        />
      )}
      <span className="reason" id={`${name}-reason`}>
        {reason}
      </span>
      <small id={`${name}-hint`}>{isOther && language.say('saved_as', { amount: language.amount(saved) })}</small>
      {problem?.choices?.map((choice) => (
        <Button key={choice} text={language.amount(choice)} onClick={() => form.choose(name, choice)} />
      ))}
    </div>
  );
}

function optionsOf(
  { categories, units }: Catalog,
  { loaded }: Props['form'],
  language: ReturnType<typeof useLanguage>,
) {
  const offered = categories.filter(({ id, archived }) => !archived || id === loaded?.item.category);
  return {
    type: Object.entries(language.texts.types),
    category: [['', language.say('none')] as const, ...offered.map(({ id, name }) => [String(id), name] as const)],
    unit: units.map(({ unit }) => [unit, unit] as const),
  };
}

function CustomFields({ form: { custom, messages, typeCustom } }: Pick<Props, 'form'>) {
  const { say, texts } = useLanguage();
  return (
    <fieldset id="custom">
      <legend>{say('custom')}</legend>
      {custom.map(({ key, kind, text, reason }, index) => {
        const name = key || say('custom_new');
        const put = (more: Partial<CustomField>) =>
          typeCustom(custom.map((one, at) => (at === index ? { ...one, ...more } : one)));
        const value = {
          'aria-label': say('custom_value', { name }),
          value: text,
          'aria-invalid': reason !== undefined,
        };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
          <div className="row" key={index}>
            <input
              aria-label={say('custom_name', { name })}
              value={key}
              onChange={({ target }) => put({ key: target.value })}
            />
            <Select
              aria-label={say('custom_kind', { name })}
              value={kind}
              options={customKinds.map((one) => [one, texts.kinds[one]])}
              onPick={(one) => put({ kind: one as typeof kind })}
            />
            {kind === 'yes or no' ? (
              <Select
                {...value}
                options={Object.entries({ '': '', true: say('yes'), false: say('no') })}
                onPick={(one) => put({ text: one })}
              />
            ) : (
              <input {...value} onChange={({ target }) => put({ text: target.value })} />
            )}
            <Button
              className="quiet"
              text="×"
              aria-label={say('custom_remove', { name })}
              onClick={() => typeCustom(custom.filter((_, at) => at !== index))}
            />
            {reason && <span className="reason">{reason}</span>}
          </div>
        );
      })}
      <p className="reason">{messages.inputs['metadata']}</p>
      <Button
        id="add-custom"
        className="quiet"
        text={say('custom_add')}
        onClick={() => typeCustom([...custom, { key: '', kind: 'text', text: '' }])}
      />
    </fieldset>
  );
}

const statusTexts = {
  loading: 'loading',
  saving: 'saving',
  saved: 'saved',
  missing: 'missing',
  failed: 'failed',
  conflict: 'failed',
  asked: 'failed',
} as const;

/** Stays in view while something is not saved. */
function SaveBar({ form }: Pick<Props, 'form'>) {
  const { say } = useLanguage();
  const { status, isEdited, loaded, messages } = form;
  const isOpen = isEdited || loaded === undefined || form.conflict.length > 0;
  return (
    <div id="bar-save" data-open={isOpen}>
      <p id="message" role="alert">
        {messages.form}
      </p>
      <Conflict form={form} />
      {form.status === 'asked' && <Lost form={form} name={form.lost.name} />}
      <p className="row">
        <span id="status" role="status">
          {status === 'ready' ? isEdited && say('unsaved') : say(statusTexts[status])}
        </span>
        {isEdited && <Button text={say('discard')} onClick={form.discard} />}
        <Button className="main" type="submit" text={say('save')} aria-disabled={status === 'saving'} />
      </p>
    </div>
  );
}

/** What both have changed, each to be decided. */
function Conflict({ form: { conflict, decide, loaded } }: Pick<Props, 'form'>) {
  const { say, label, value, time } = useLanguage();
  if (conflict.length === 0 || loaded === undefined) return null;
  const rows = conflict.map(({ name, mine, theirs }): TableRow => {
    const keep = (
      <Button key="keep" text={say('keep', { value: value(name, mine) })} onClick={() => decide(name, true)} />
    );
    const take = (
      <Button key="take" text={say('take', { value: value(name, theirs) })} onClick={() => decide(name, false)} />
    );
    return [name, label(name), keep, take];
  });
  const { updated_by: user, updated_at } = loaded.item;
  return (
    <div id="conflict">
      <p>{say('both', { user, time: time(updated_at) })}</p>
      <Table id="both" head={[say('field'), say('yours'), say('theirs')]} rows={rows} />
    </div>
  );
}

function Lost({ form: { finishLost, createAnother }, name }: Pick<Props, 'form'> & { name: string }) {
  const { say } = useLanguage();
  return (
    <div id="lost" role="alert">
      <p>{say('lost', { name })}</p>
      <p className="row">
        <Button text={say('lost_same')} onClick={finishLost} />
        <Button text={say('lost_other')} onClick={createAnother} />
      </p>
    </div>
  );
}
