import { describe, expect, it } from 'vitest';
import { authorize } from '../../../lib/access/authorize.ts';
import type { Caller } from '../../../lib/access/caller.ts';
import { createToken } from '../../../lib/access/tokenFormat.ts';
import { timedContext } from '../../../lib/catalog/requestContext.ts';

const now = 1_000_000;
const work = timedContext(now + 1_000);
const token = createToken();
const ann: Caller = { account: 'acme', user: 'ann', permissions: [], expiresAt: 1_001 };

/** A token store that knows one caller by any token, and records what it is called with. */
function storeOf(caller: Caller | undefined) {
  const calls: unknown[][] = [];
  return {
    calls,
    find: async (...args: unknown[]) => {
      calls.push(args);
      return caller;
    },
  };
}

describe('authorize', () => {
  const spellings = [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`];
  it.each(spellings)('identifies the caller from a bearer token: %s', async (header) => {
    const store = storeOf(ann);
    expect(await authorize(store, work, [header], now)).toEqual(ann);
    expect(store.calls).toEqual([[work, token]]);
  });

  it.each([
    [[]],
    [['Bearer ']],
    [[token]],
    [[`Basic ${token}`]],
    [[`Bearer${token}`]],
    [[` Bearer ${token}`]],
    [[`Bearer ${token} `]],
    [[`Bearer ${token} x`]],
    [[`Bearer ${token}, Bearer ${token}`]],
    [[`Bearer ${token.slice(0, -1)}`]],
    [[`Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`]],
    [[`Bearer ${token}`, `Bearer ${token}`]],
    [[`Bearer ${' '.repeat(100_000)}`]],
  ])('identifies nobody from %j, without reading the store', async (headers) => {
    const store = storeOf(ann);
    expect(await authorize(store, work, headers, now)).toBeUndefined();
    expect(store.calls).toEqual([]);
  });

  it.each([1_000, 999, 0, Number.NaN])('identifies nobody at 1000 s from a token that expired at %d s', async (at) => {
    const refusals: unknown[] = [];
    const refuse = (refusal: unknown) => void refusals.push(refusal);
    const store = storeOf({ ...ann, expiresAt: at });
    expect(await authorize(store, work, [`Bearer ${token}`], now, undefined, refuse)).toBeUndefined();
    expect(refusals).toEqual([{ reason: 'expired' }]);
  });

  it('asks the identity provider about any token not issued by this service', async () => {
    const verified: string[] = [];
    const identity = {
      verify: async (text: string) => {
        verified.push(text);
        return ann;
      },
    };
    const store = storeOf(undefined);
    expect(await authorize(store, work, ['Bearer a.b.c'], now, identity)).toEqual(ann);
    expect(await authorize(store, work, [`Bearer ${token}`], now, identity)).toBeUndefined();
    expect(await authorize(store, work, ['Basic a.b.c'], now, identity)).toBeUndefined();
    expect([verified, store.calls]).toEqual([['a.b.c'], [[work, token]]]);
  });

  it('identifies nobody from an expired token of the identity provider, without clock tolerance', async () => {
    const identity = { verify: async () => ({ ...ann, expiresAt: 1_000 }) };
    expect(await authorize(storeOf(undefined), work, ['Bearer a.b.c'], now, identity)).toBeUndefined();
  });
});
