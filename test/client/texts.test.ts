import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { loadCatalog, messagesOf, noticeOf, textOf } from '../../client/public/index.ts';
import { en } from '../../client/texts/en.ts';
import { pt } from '../../client/texts/pt.ts';
import { errors } from '../../lib/item/errors.ts';
import { rules } from '../../lib/item/violation.ts';
import { en as pageEn, withEnglish } from '../../page/texts/en.ts';
import { pt as pagePt } from '../../page/texts/pt.ts';
import { clientAnsweredBy } from '../support/client/clientOf.ts';

const namesIn = (text: string): string[] => Array.from(text.matchAll(/\{(\w+)[|}]/g), ([, name = '']) => name).sort();
const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** Texts by their keys, those of objects with the keys of both. */
const flat = (texts: object, before = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[before + key, text] as const] : flat(text, `${before}${key} `),
  ) as [string, string][];

describe.each([
  ['the package', en, Object.fromEntries(Object.entries(pt).filter(([key]) => key in en))],
  ['the page', pageEn, pagePt],
])('the texts of %s', (_, english, portuguese) => {
  it('are there in both languages, and name the same', () => {
    const others = new Map(flat(portuguese));
    const keys = flat(english).map(([key]) => key);
    expect([...others.keys()].sort()).toEqual([...keys].sort());
    for (const [key, text] of flat(english)) {
      expect(others.get(key), key).toMatch(/\S/);
      const named = unique(namesIn(text)).filter(
        (name) => name !== 'reason' || namesIn(others.get(key) ?? '').includes(name),
      );
      expect([key, unique(namesIn(others.get(key) ?? ''))]).toEqual([key, named]);
    }
  });
});

describe('messagesOf', () => {
  it('has a text for each code of the contract, and names who and what', () => {
    for (const [code, { message }] of Object.entries(errors)) {
      const { form } = messagesOf({ code, message, by: 'ana' }, pt);
      expect(form).toBe(pt[code as keyof typeof errors].replace('{by}', 'ana'));
      expect(form).not.toBe(message);
    }
    const refused = { code: 'FORBIDDEN', message: '' };
    expect(messagesOf({ ...refused, field: 'account' }, pt).form).toBe(pt.no_account);
    expect(messagesOf({ code: 'ITEM_NOT_FOUND', message: '', field: 'sku' }, pt).form).toBe(pt.no_item_with_code);
  });

  it('has a text for each rule, with its limit or item as the language writes numbers', () => {
    const fields = rules.map((rule) => ({ field: rule, rule, reason: 'is English', limit: 1_234.5, item: 1_234 }));
    const { inputs } = messagesOf({ code: 'VALIDATION_FAILED', message: '', fields }, pt);
    const texts = Object.fromEntries(
      rules.map((rule) => [rule, pt[rule].replace('{limit}', '1.234,5').replace('{item}', '1234')]),
    );
    expect(inputs).toEqual(texts);
    expect(textOf({ rule: 'max', limit: 1_234.5 }, { language: 'pt_BR', max: '{limit}' })).toBe('1.234,5');
  });

  it('tells nobody to try again while that is done', () => {
    expect(textOf({ code: 'retrying', reason: { code: 'no_answer' } }, pt)).toBe(pt.no_answer_yet);
    const refused = noticeOf(new DOMException('Not readable', 'NotReadableError'));
    expect(textOf({ code: 'retrying', reason: refused }, en)).toBe('Trying again: Not readable');
  });

  it('shows the service’s own text for what a table, or the version of the service, does not know', () => {
    const mine = { language: 'es', required: 'Es obligatorio.' };
    const field = { field: 'name', reason: 'must be new', rule: 'new' as 'min' };
    expect(messagesOf({ code: 'NEW', message: 'New.' }, pt)).toEqual({ form: 'New.', inputs: {} });
    expect(messagesOf({ code: '', message: '', fields: [field] }, pt).inputs).toEqual({ name: 'must be new' });
    expect(messagesOf({ code: 'FORBIDDEN', message: 'No.' }, mine).form).toBe('No.');
    expect(messagesOf({ code: 'PRECONDITION_FAILED', message: 'Changed.' }, pt).form).toBe('Changed.');
  });
});

it('only what is thrown instead of an answer is said to be none, also by the `fetch` of another window', async () => {
  const error = runInNewContext("new TypeError('Failed to fetch')");
  const offline = clientAnsweredBy(() => Promise.reject(error));
  expect(noticeOf(await loadCatalog(offline).catch((thrown) => thrown))).toEqual({ code: 'no_answer' });
  expect(noticeOf(new TypeError('Request is not a constructor'))).toMatchObject({
    code: 'refused',
    error: 'TypeError',
  });
  const reading = clientAnsweredBy(async () => {
    const response = new Response('{}');
    await response.text(); // such as for a log
    return response;
  });
  await expect(loadCatalog(reading)).rejects.toThrow(/already been read/);
  const broken = clientAnsweredBy(async () => (undefined as unknown as () => Response)());
  await expect(loadCatalog(broken)).rejects.toThrow(/is not a function/);
});

const circle: { itself?: object } = {};
circle.itself = circle;
const all = [undefined, null, '', 5, { message: 5 }, { message: null }, Object.create(null), circle, Symbol('thrown')];
it.each(all)('what is thrown is said in a text, whatever it is: %#', (thrown) => {
  const message = 'Something unexpected has failed.';
  expect(noticeOf(thrown)).toEqual({ code: 'refused', error: 'Error', status: 0, message });
  expect(textOf(noticeOf(thrown), pt)).toBe(message);
  expect(messagesOf(thrown, pt)).toEqual({ form: message, inputs: {} });
  expect(noticeOf({ message: 'No user' })).toMatchObject({ message: 'No user' });
  expect(messagesOf('No user').form).toBe('No user');
});

it.each(['constructor', '__proto__', 'toString'])('a code that every object has as a name has no text: %s', (code) => {
  const table = { language: 'es' };
  expect(messagesOf({ code, message: 'Refused.' }, table).form).toBe('Refused.');
  expect(textOf({ rule: code as 'min', reason: 'is refused' }, table)).toBe('is refused');
  expect(textOf(noticeOf(Object.assign(new Error('Failed.'), { name: code })), en)).toBe('Failed.');
});

it('what a sheet says is written with its values, or in English as it comes', () => {
  const warning = { rule: 'hidden_rows', values: { count: 1_200, line: 4 }, text: 'Hidden rows.' } as const;
  expect(textOf(warning, pt)).toBe('Linhas ocultas também são lidas: 1200, como a linha 4.');
  expect(textOf(warning, en)).toBe('Hidden rows.');
  const twice = { rule: 'column_twice', values: { columns: ['a', 'b'], target: 'name' }, text: '' } as const;
  expect(textOf(twice, pt)).toBe('Duas colunas são o mesmo campo: a, b.');
});

it('what a language of the page lacks is English, also a part of a group', () => {
  const { save, discard, fields } = withEnglish({ save: 'Guardar', fields: { name: 'Nombre' } });
  expect([save, discard, fields.name, fields.sku]).toEqual(['Guardar', pageEn.discard, 'Nombre', pageEn.fields.sku]);
});

it('a bundle with English alone has no Portuguese', async () => {
  const contents =
    "import { messagesOf } from 'catalog-client'; import { en } from 'catalog-client/en'; import 'catalog-client/react'; show(messagesOf, en);";
  const stdin = { contents, resolveDir: `${import.meta.dirname}/../../page` };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, external: ['react'] });
  const text = outputFiles.map((file) => file.text).join('');
  expect([text.includes(en.required), text.includes('obrigat')]).toEqual([true, false]);
});
