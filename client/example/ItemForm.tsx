import { type Catalog, textOf } from 'catalog-client';
import { en } from 'catalog-client/en';
import { type CustomField, customKinds, type useItemForm } from 'catalog-client/react';
import { useEffect, useRef } from 'react';
import { Button, Checkbox, labels, quoted, Select, submits, written } from './elements.tsx';

interface Props {
  readonly form: ReturnType<typeof useItemForm>;
  readonly catalog: Catalog;
}

const said = {
  ready: '',
  loading: 'Loading…',
  saving: 'Saving…',
  saved: 'Saved.',
  failed: 'Not saved.',
  asked: 'Not saved.',
  conflict: 'Not saved.',
  missing: '',
};
const rows = [
  ['name'],
  ['type', 'category', 'unit'],
  ['value', 'qty', 'tax', 'cost'],
  ['sku', 'pn', 'tag'],
  ['description'],
] as const;

export function ItemForm({ form, catalog }: Props) {
  const { loaded, status, messages } = form;
  const shown = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(messages.inputs).length > 0)
      shown.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [messages]);
  // On a phone, the form is below the list.
  useEffect(() => {
    if (loaded?.item.id !== undefined) shown.current?.scrollIntoView({ block: 'nearest' });
  }, [loaded?.item.id]);
  const may = (permission: string) => catalog.permissions.includes(permission);
  return (
    <form id="form" ref={shown} noValidate onSubmit={submits(form.save)}>
      <h2 id="title">{loaded ? `Item ${loaded.item.id}` : 'New item'}</h2>
      <fieldset id="fields" disabled={!may('catalog:edit') || status === 'loading' || status === 'missing'}>
        {rows.map((names) => (
          <div className="row" key={names[0]}>
            {names
              .filter((name) => name !== 'cost' || may('catalog:cost:read'))
              .map((name) => (
                <Field key={name} form={form} catalog={catalog} name={name} />
              ))}
          </div>
        ))}
        <div className="row">
          <Checkbox
            id="active"
            label="Active"
            checked={form.textOf('active') === 'true'}
            onPick={(checked) => form.type('active', String(checked))}
          />
        </div>
        <CustomFields form={form} />
        <p id="message" role="alert">
          {messages.form}
        </p>
        <Conflict form={form} />
        {form.status === 'asked' && <Lost form={form} name={form.lost.name} />}
        <p className="row">
          <Button className="main" type="submit" text="Save" aria-disabled={status === 'saving'} />
          <span id="status" role="status">
            {said[status] || (form.isEdited ? 'Not saved yet.' : '')}
          </span>
        </p>
      </fieldset>
    </form>
  );
}

/** An input with the limit that it breaks, or the number that it will be saved as. What could be two numbers is asked. */
function Field({ form, catalog, name }: Props & { name: keyof typeof labels }) {
  const { [name]: reason } = form.messages.inputs;
  const { [name]: problem } = form.problems;
  const { [name as 'value']: saved } = form.saved;
  const limit = problem?.limit === undefined ? '' : textOf(problem, en);
  const hint = saved === undefined ? limit : `is saved as ${written(saved)}`;
  const describe = { 'aria-invalid': reason !== undefined, 'aria-describedby': `${name}-reason ${name}-hint` };
  const input = { id: name, name, value: form.textOf(name), ...describe };
  const type = (text: string) => form.type(name, text);
  const onChange = ({ target }: { target: { value: string } }) => type(target.value);
  return (
    <div>
      <label htmlFor={name}>{labels[name]}</label>
      {name === 'type' || name === 'category' || name === 'unit' ? (
        <Select {...input} options={optionsOf(catalog, form)[name]} onPick={type} />
      ) : name === 'description' ? (
        <textarea rows={2} {...input} onChange={onChange} />
      ) : (
        <input autoComplete="off" {...input} onChange={onChange} />
      )}
      <span className="reason" id={`${name}-reason`}>
        {reason}
      </span>
      <small id={`${name}-hint`}>{hint}</small>
      {problem?.choices?.map((one) => (
        <Button key={one} text={written(one)} onClick={() => form.choose(name, one)} />
      ))}
    </div>
  );
}

function optionsOf({ categories, units }: Catalog, { loaded }: Props['form']) {
  const offered = categories.filter(({ id, archived }) => !archived || id === loaded?.item.category);
  return {
    type: ['product', 'service'].map((one) => [one, one] as const),
    category: [['', 'none'] as const, ...offered.map(({ id, name }) => [String(id), name] as const)],
    unit: units.map(({ unit }) => [unit, unit] as const),
  };
}

const yesOrNo = Object.entries({ '': '', true: 'yes', false: 'no' });

function CustomFields({ form: { custom, messages, typeCustom } }: Pick<Props, 'form'>) {
  return (
    <fieldset id="custom">
      <legend>Custom fields</legend>
      {custom.map(({ key, kind, text, reason }, index) => {
        const label = key || 'new custom field';
        const put = (more: Partial<CustomField>) =>
          typeCustom(custom.map((one, at) => (at === index ? { ...one, ...more } : one)));
        const value = { 'aria-label': `Value of ${label}`, value: text, 'aria-invalid': reason !== undefined };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
          <div className="row" key={index}>
            <input aria-label={`Name of ${label}`} value={key} onChange={({ target }) => put({ key: target.value })} />
            <Select
              aria-label={`Kind of ${label}`}
              value={kind}
              options={customKinds.map((one) => [one, one])}
              onPick={(one) => put({ kind: one as typeof kind })}
            />
            {kind === 'yes or no' ? (
              <Select {...value} options={yesOrNo} onPick={(one) => put({ text: one })} />
            ) : (
              <input {...value} onChange={({ target }) => put({ text: target.value })} />
            )}
            <Button
              text="×"
              aria-label={`Remove ${label}`}
              onClick={() => typeCustom(custom.filter((_, at) => at !== index))}
            />
            {reason && <span className="reason">{reason}</span>}
          </div>
        );
      })}
      <p className="reason">{messages.inputs['metadata']}</p>
      <Button
        id="add-custom"
        text="Add a custom field"
        onClick={() => typeCustom([...custom, { key: '', kind: 'text', text: '' }])}
      />
    </fieldset>
  );
}

/** A quantity comes with its unit. */
const bothText = (value: unknown) => (Array.isArray(value) ? value.join(' ') : quoted(value));

/** What both have changed, each to be decided. */
const Conflict = ({ form: { conflict, decide } }: Pick<Props, 'form'>) => (
  <ul id="conflict" aria-label="Changed by both">
    {conflict.map(({ name, mine, theirs }) => (
      <li key={name} className="row">
        <b>{labels[name as 'name'] ?? name}</b>
        <Button text={`Keep mine: ${bothText(mine)}`} onClick={() => decide(name, true)} />
        <Button text={`Take theirs: ${bothText(theirs)}`} onClick={() => decide(name, false)} />
      </li>
    ))}
  </ul>
);

const Lost = ({ form: { finishLost, createAnother }, name }: Pick<Props, 'form'> & { name: string }) => (
  <div id="lost" role="alert">
    <p>“{name}” was sent before, without an answer: it may be there. Is what you save now another item?</p>
    <p className="row">
      <Button text="The same item" onClick={finishLost} />
      <Button text="Another item" onClick={createAnother} />
    </p>
  </div>
);
