import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchKeys } from '../../../lib/identity/providerKeys.ts';
import { type Answer, asJson, startIssuer, type TestIssuer } from '../../support/api/testIssuer.ts';

let issuer: TestIssuer;

beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(() => issuer.close());

/** The ids of the fetched keys. */
const fetched = async (url = issuer.url, timeout = 20_000, jwksUri?: string) => [
  ...(await fetchKeys({ issuer: url, jwksUri }, timeout)).keys(),
];
const kid = () => issuer.keys[0]?.kid;

const unavailable = (reason: RegExp) => ({
  name: 'KeysUnavailable',
  cause: { message: expect.stringMatching(reason) },
});

/** Answers with the keys, but not with 200. */
const status =
  (code: number): Answer =>
  (response, keys) =>
    response.writeHead(code, { location: '/moved' }).end(JSON.stringify(keys));
const text =
  (body: string): Answer =>
  (response) =>
    response.end(body);

const notJson = /did not respond with JSON$/;
const noKeys = /no usable key$/;

describe('a response to the request for the keys', () => {
  it.each<[string, RegExp, Answer]>([
    ['with 500', /responded with 500$/, status(500)],
    ['that redirects', /responded with 302$/, status(302)],
    [
      'of more than 256 KB',
      /responded with more than 262144 bytes$/,
      (response, keys) => response.end(JSON.stringify({ ...keys, filling: 'x'.repeat(256 * 1024) })),
    ],
    ['of HTML', notJson, text('<html><body>Sign in</body></html>')],
    ['of an empty list', noKeys, text('{"keys":[]}')],
    ['of null', noKeys, text('null')],
    ['of keys that are not a list', noKeys, text('{"keys":{"kty":"RSA"}}')],
    ['of keys that are not usable', noKeys, text('{"keys":[null,5,{"kid":"a"}]}')],
    [
      'of a key without an id',
      noKeys,
      (response) => asJson(response, { keys: [{ ...issuer.keys[0]?.jwk, kid: undefined }] }),
    ],
    [
      'that breaks off',
      /^aborted$/,
      (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
    ],
    ['that is none, as the provider hangs up', /^socket hang up$/, (response) => response.destroy()],
  ])('%s is refused for this reason', async (_case, reason, answer) => {
    issuer.answers.keys = answer;
    await expect(fetched()).rejects.toMatchObject(unavailable(reason));
  });

  it('that is refused does not stay open, because Lambda freezes the function', async () => {
    const closed: Promise<unknown>[] = [];
    issuer.answers.keys = (response) => {
      closed.push(once(response, 'close'));
      response.writeHead(500).write('{');
    };
    await expect(fetched(issuer.url, 600_000)).rejects.toMatchObject(unavailable(/responded with 500$/));
    await Promise.all(closed);
  });

  it.each<[string, Answer]>([
    ['never begins', () => undefined],
    ['never ends', (response) => response.writeHead(200).write('{"keys":[')],
  ])('that %s is awaited for a bounded time', async (_case, answer) => {
    issuer.answers.keys = answer;
    await expect(fetched(issuer.url, 300)).rejects.toMatchObject(unavailable(/^The operation was aborted/));
  });

  it('that breaks off once is requested again', async () => {
    issuer.answers.keys = (response) => {
      issuer.answers.keys = asJson;
      response.destroy();
    };
    expect(await fetched()).toEqual([kid()]);
  });

  it('may contain keys of an unknown kind, which are ignored (RFC 7517, section 5)', async () => {
    const unknown = [null, 5, { kty: 7 }, { kid: 'a', kty: 'NEW' }];
    issuer.answers.keys = (response) => asJson(response, { keys: [...unknown, issuer.keys[0]?.jwk] });
    expect(await fetched()).toEqual([kid()]);
  });
});

it('each request says which program it is from, because firewalls refuse others', async () => {
  const agents: unknown[] = [];
  const answer: Answer = (response, document) => {
    agents.push(response.req.headers['user-agent']);
    asJson(response, document);
  };
  issuer.answers = { configuration: answer, keys: answer };
  await fetched();
  expect(agents).toEqual(['catalog-service', 'catalog-service']);
});

describe('the discovery document', () => {
  const noAddress = /has no jwks_uri with https$/;

  it.each<[string, RegExp, (url: string) => object | null]>([
    ['of another issuer', /is for the issuer .*\/$/, (url) => ({ issuer: `${url}/`, jwks_uri: `${url}/keys` })],
    ['of null', /is for the issuer undefined$/, () => null],
    ['without an address of keys', noAddress, (url) => ({ issuer: url })],
    ['with a plain HTTP address elsewhere', noAddress, (url) => ({ issuer: url, jwks_uri: 'http://192.0.2.1/keys' })],
    ['with a file for an address', noAddress, (url) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' })],
  ])('%s is not used', async (_case, reason, document) => {
    issuer.answers.configuration = (response) => response.end(JSON.stringify(document(issuer.url)));
    await expect(fetched()).rejects.toMatchObject(unavailable(reason));
    expect(issuer.requests).toBe(0);
  });

  it('is also found if the issuer ends with a slash', async () => {
    const url = `${issuer.url}/`;
    issuer.answers.configuration = (response, document) => asJson(response, { ...document, issuer: url });
    expect(await fetched(url)).toEqual([kid()]);
  });

  it('is not needed if the settings have the address of the keys, whatever the issuer is', async () => {
    issuer.answers.configuration = status(404);
    expect(await fetched('http://adfs.example.com/adfs/services/trust', 20_000, `${issuer.url}/keys`)).toEqual([kid()]);
  });

  it('is requested over TLS if the issuer is an https address', async () => {
    // This issuer does not understand that.
    await expect(fetched(issuer.url.replace('http:', 'https:'))).rejects.toMatchObject(unavailable(/SSL routines/));
  });
});
