import type { Catalog } from 'catalog-client';
import {
  type CustomField,
  customInput,
  customKinds,
  type InputName,
  inputText,
  savedAmount,
} from 'catalog-client/itemDraft';
import type { useItemForm } from 'catalog-client/react';
import { useEffect, useRef } from 'react';
import { quoted } from './shownText.ts';

type Form = ReturnType<typeof useItemForm>;

interface Props {
  readonly form: Form;
  readonly catalog: Catalog;
  readonly mayEdit: boolean;
}

const said = { ready: '', loading: 'Loading…', saving: 'Saving…', saved: 'Saved.', failed: '', asked: '' };

export function ItemForm({ form, catalog, mayEdit }: Props) {
  const { loaded, status, messages } = form;
  const shown = useRef<HTMLFormElement>(null);
  useEffect(() => shown.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [messages]);
  const amounts = Object.entries({ value: 'Price', qty: 'Quantity', tax: 'Tax', cost: 'Cost' } as const);
  const maySee = (name: string) => name !== 'cost' || catalog.permissions.includes('catalog:cost:read');
  const categories = catalog.categories.filter(({ id, archived }) => !archived || id === loaded?.item.category);
  return (
    <form
      id="form"
      ref={shown}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.save();
      }}
    >
      <h2 id="title">{loaded ? `Item ${loaded.item.id}` : 'New item'}</h2>
      <fieldset id="fields" disabled={!mayEdit || status === 'loading'}>
        <Field form={form} name="name" label="Name" />
        <div className="row">
          <Choice form={form} name="type" label="Type" options={['product', 'service']} />
          <Choice
            form={form}
            name="category"
            label="Category"
            options={['', ...categories.map(({ id }) => String(id))]}
            texts={Object.fromEntries([['', 'none'], ...categories.map(({ id, name }) => [id, name])])}
          />
          <Choice form={form} name="unit" label="Unit" options={catalog.units.map(({ unit }) => unit)} />
        </div>
        <div className="row">
          {amounts
            .filter(([name]) => maySee(name))
            .map(([name, label]) => (
              <Amount key={name} form={form} name={name as InputName} label={label} catalog={catalog} />
            ))}
        </div>
        <div className="row">
          <Field form={form} name="sku" label="SKU" />
          <Field form={form} name="pn" label="Part number" />
          <Field form={form} name="tag" label="Tags" />
        </div>
        <Field form={form} name="description" label="Description" isLong />
        <label className="check">
          <input
            name="active"
            type="checkbox"
            checked={form.textOf('active') === 'true'}
            onChange={({ target }) => form.type('active', String(target.checked))}
          />
          Active
        </label>
        <CustomFields form={form} />
        <Conflict form={form} />
        <p id="message" role="alert">
          {messages.form}
        </p>
        {status === 'asked' && <Lost form={form} />}
        <p className="row actions">
          <button className="main" type="submit" aria-disabled={status === 'saving'}>
            Save
          </button>
          <span id="status" role="status">
            {said[status] || (form.isEdited ? 'Not saved yet.' : '')}
          </span>
        </p>
      </fieldset>
    </form>
  );
}

interface FieldProps {
  readonly form: Form;
  readonly name: InputName;
  readonly label: string;
  readonly isLong?: boolean;
  readonly inputMode?: 'decimal';
}

/** What an input needs to be typed in, and to say what is wrong with it. */
const inputOf = ({ form, name }: FieldProps) => ({
  ...{ id: name, name, value: form.textOf(name), autoComplete: 'off' },
  ...(name in form.messages.inputs && { 'aria-invalid': true, 'aria-describedby': `${name}-reason` }),
  onChange: ({ target }: { target: { value: string } }) => form.type(name, target.value),
});

const Reason = ({ form, name }: { form: Form; name: string }) => (
  <span className="reason" id={`${name}-reason`}>
    {form.messages.inputs[name]}
  </span>
);

function Field(props: FieldProps) {
  return (
    <div>
      <label htmlFor={props.name}>{props.label}</label>
      {props.isLong ? (
        <textarea rows={2} {...inputOf(props)} />
      ) : (
        <input inputMode={props.inputMode} {...inputOf(props)} />
      )}
      <Reason {...props} />
    </div>
  );
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly string[];
  readonly texts?: Readonly<Record<string, string>>;
}

function Choice({ options, texts = {}, ...props }: ChoiceProps) {
  return (
    <div>
      <label htmlFor={props.name}>{props.label}</label>
      <select {...inputOf(props)}>
        {options.map((value) => (
          <option key={value} value={value}>
            {texts[value] ?? value}
          </option>
        ))}
      </select>
      <Reason {...props} />
    </div>
  );
}

const written = (number: number) =>
  number.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** With its limit, or the number that it will be saved as; what could be two numbers is asked. */
function Amount({ catalog, ...props }: FieldProps & { catalog: Catalog }) {
  const { form, name } = props;
  const { [name as 'value']: typed } = form.changes;
  const saved = typed === undefined ? undefined : savedAmount(name, typed, form.textOf('unit'), catalog);
  return (
    <div>
      <Field {...props} inputMode="decimal" />
      <small id={`${name}-hint`}>
        {saved === undefined
          ? `up to ${written(catalog.limits[name as 'value'].max)}`
          : `is saved as ${written(saved)}`}
      </small>
      {form.choices[name]?.map((number) => (
        <button key={number} type="button" onClick={() => form.type(name, inputText(number))}>
          {written(number)}
        </button>
      ))}
    </div>
  );
}

function CustomFields({ form }: { form: Form }) {
  const { custom, messages, typeCustom } = form;
  const type = (index: number, more: Partial<CustomField>) =>
    typeCustom(custom.map((one, at) => (at === index ? { ...one, ...more } : one)));
  const reasonOf = (key: string) =>
    Object.entries(messages.inputs).find(([input]) => `${input}/`.startsWith(`${customInput(key)}/`))?.[1];
  return (
    <fieldset id="custom">
      <legend>Custom fields</legend>
      {custom.map(({ key, kind, text }, index) => {
        const [label, reason] = [key || 'new custom field', reasonOf(key)];
        const set = (more: Partial<CustomField>) => type(index, more);
        const wrong = reason !== undefined && { 'aria-invalid': true, 'aria-describedby': `custom-${index}` };
        return (
          <div className="row" key={index}>
            <input aria-label={`Name of ${label}`} value={key} onChange={({ target }) => set({ key: target.value })} />
            <select
              aria-label={`Kind of ${label}`}
              value={kind}
              onChange={({ target }) => set({ kind: target.value as CustomField['kind'] })}
            >
              {customKinds.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            {kind === 'yes or no' ? (
              <select
                aria-label={`Value of ${label}`}
                value={String(text === 'true')}
                onChange={({ target }) => set({ text: target.value })}
              >
                <option value="true">yes</option>
                <option value="false">no</option>
              </select>
            ) : (
              <input
                aria-label={`Value of ${label}`}
                value={text}
                {...wrong}
                onChange={({ target }) => set({ text: target.value })}
              />
            )}
            <button
              type="button"
              aria-label={`Remove ${label}`}
              onClick={() => typeCustom(custom.filter((_, at) => at !== index))}
            >
              ×
            </button>
            <span className="reason" id={`custom-${index}`}>
              {reason}
            </span>
          </div>
        );
      })}
      <span className="reason">{messages.inputs['metadata']}</span>
      <button
        id="add-custom"
        type="button"
        onClick={() => typeCustom([...custom, { key: '', kind: 'text', text: '' }])}
      >
        Add a custom field
      </button>
    </fieldset>
  );
}

/** What both have changed, each to be decided. */
function Conflict({ form: { conflict, decide } }: { form: Form }) {
  return (
    <ul id="conflict" aria-label="Changed by both">
      {conflict.map(({ name, mine, theirs }) => (
        <li key={name}>
          <b>{name}</b>
          <button type="button" onClick={() => decide(name, true)}>
            Keep mine: {quoted(mine)}
          </button>
          <button type="button" onClick={() => decide(name, false)}>
            Take theirs: {quoted(theirs)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Lost({ form: { lost, finishLost, createAnother } }: { form: Form }) {
  return (
    <div id="lost" role="alert">
      <p>“{lost?.body.name}” was sent before, without an answer: it may have been created. Is this another item?</p>
      <p className="row">
        <button type="button" onClick={finishLost}>
          The same item, as it is now typed
        </button>
        <button type="button" onClick={createAnother}>
          Another item
        </button>
      </p>
    </div>
  );
}
