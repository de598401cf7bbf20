import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { CatalogError } from '../../../../lib/item/errors.ts';
import {
  asCallersError,
  ConditionFailed,
  cancellationReasons,
  retryReason,
} from '../../../../lib/store/database/failures.ts';

/** An error as the SDK throws it. */
const sdkError = (name: string, parts: object = {}) => Object.assign(new Error(name), { name, ...parts });
const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });
const cancelled = (...codes: (string | undefined)[]) =>
  sdkError('TransactionCanceledException', {
    ...status(400),
    CancellationReasons: codes.map((Code) => ({ ...(Code !== undefined && { Code }) })),
  });
const record = { pk: 'a' };
const stored = marshall(record);

describe('the reason for sending a request again', () => {
  it.each([
    ['ThrottlingException', 'throttled'],
    ['ProvisionedThroughputExceededException', 'throttled'],
    ['RequestLimitExceeded', 'throttled'],
    ['RequestTimeout', 'unknown'],
    ['RequestTimeoutException', 'unknown'],
    ['TransactionConflictException', 'conflict'],
    ['TransactionCanceledException', 'conflict'],
    ['TransactionInProgressException', 'unknown'],
    ['TimeoutError', 'unknown'],
    ['AbortError', 'unknown'],
  ])('%s: %s, whatever its status', (name, reason) => {
    expect(retryReason(sdkError(name))).toBe(reason);
    expect(retryReason(sdkError(name, status(400)))).toBe(reason);
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])(
    '%s: it was never sent',
    (code) => {
      expect(retryReason(sdkError('Error', { code }))).toBe('throttled');
    },
  );

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EPROTO'])('%s: it may have taken effect', (code) => {
    expect(retryReason(sdkError('Error', { code }))).toBe('unknown');
  });

  it.each([500, 502, 503, 504])('status %i: it may have taken effect', (code) => {
    expect(retryReason(sdkError('InternalServerError', status(code)))).toBe('unknown');
  });

  it.each([
    sdkError('Unknown', status(300)),
    sdkError('SyntaxError', status(400)),
    sdkError('Unknown', status(403)),
    sdkError('Error', { ...status(400), code: 'ECONNRESET' }),
    sdkError('UnknownError', status(413)),
  ])('a refused request whose reason cannot be read is sent again: %s', (error) => {
    expect(retryReason(error)).toBe('throttled');
  });

  const refusedForNow: [string, string?][] = [
    ['LimitExceededException'],
    ['Throttling'],
    ['RequestExpired'],
    ['RequestTimeTooSkewed'],
    ['InvalidSignatureException', 'Signature expired: 20261122T100000Z is now earlier than 20261122T100500Z'],
    ['InvalidSignatureException', 'Signature not yet current: 20261122T101000Z is still later than 20261122T100500Z'],
  ];
  it.each(refusedForNow)('%s %s: refused for now, unless the status says that it may be done', (name, message = '') => {
    expect(retryReason(sdkError(name, { ...status(400), message }))).toBe('throttled');
    expect(retryReason(sdkError(name, { ...status(503), message }))).toBe('unknown');
  });

  it('status 429: it was throttled, whatever the name', () => {
    expect(retryReason(sdkError('AnyName', status(429)))).toBe('throttled');
  });

  it.each([200, 299])('status %i: the request was done, but its response was cut off', (code) => {
    expect(retryReason(sdkError('SyntaxError', status(code)))).toBe('unknown');
  });

  it.each([
    sdkError('Error', { code: 'ERR_INVALID_ARG_TYPE' }),
    sdkError('Error', { code: 'CERT_HAS_EXPIRED' }),
    sdkError('ConditionalCheckFailedException', status(400)),
    sdkError('ValidationException', status(400)),
    sdkError('AccessDeniedException', status(400)),
    sdkError('InvalidSignatureException', { ...status(400), message: 'The request signature does not match' }),
    sdkError('IdempotentParameterMismatchException', status(400)),
    new TypeError('a defect'),
    new Error('anything'),
  ])('is undefined for %s', (error) => {
    expect(retryReason(error)).toBeUndefined();
  });

  it.each([
    [['None', 'TransactionConflict'], 'conflict'],
    [['ThrottlingError', 'None'], 'throttled'],
    [['ConditionalCheckFailed', 'TransactionConflict'], 'conflict'],
    [['None', 'ConditionalCheckFailed'], undefined],
    [['ValidationError', 'None'], undefined],
    [['ItemCollectionSizeLimitExceeded'], undefined],
    [[undefined], undefined],
    [[], undefined],
  ])('a transaction cancelled for %j: %s', (codes, reason) => {
    expect(retryReason(cancelled(...codes))).toBe(reason);
  });
});

describe('a refused write', () => {
  it('of one record has one reason, with the stored record if there is one', () => {
    expect(cancellationReasons(sdkError('ConditionalCheckFailedException', { Item: stored }))).toEqual([
      { code: 'ConditionalCheckFailed', record },
    ]);
    expect(cancellationReasons(sdkError('ConditionalCheckFailedException'))).toEqual([
      { code: 'ConditionalCheckFailed', record: undefined },
    ]);
  });

  it('of several records has a reason for each', () => {
    const error = sdkError('TransactionCanceledException', {
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: stored }, {}],
    });
    const reasons = [
      { code: 'None', record: undefined },
      { code: 'ConditionalCheckFailed', record },
      { code: 'None', record: undefined },
    ];
    expect(cancellationReasons(error)).toEqual(reasons);
    const refused = new ConditionFailed(['a', 'b', 'c'], reasons, true);
    expect(['a', 'b', 'c', 'd'].map((part) => refused.failed(part))).toEqual([false, true, false, false]);
    expect(['a', 'b', 'c', 'd'].map((part) => refused.stored(part))).toEqual([undefined, record, undefined, undefined]);
    expect(refused).toMatchObject({ name: 'ConditionFailed', afterLostResponse: true });
  });

  it.each([
    [['ConditionalCheckFailed'], true],
    [['None', 'ConditionalCheckFailed', 'None'], true],
    [['ConditionalCheckFailed', 'TransactionConflict'], false],
    [['ThrottlingError', 'ConditionalCheckFailed'], false],
    [['ValidationError', 'None'], false],
  ])('for %j was only refused by conditions: %j', (codes, isComplete) => {
    const reasons = codes.map((code) => ({ code, record: undefined }));
    expect(new ConditionFailed(['a', 'b', 'c'], reasons, false).isComplete).toBe(isComplete);
  });
});

describe('a record that is too large', () => {
  const large = 'Item size has exceeded the maximum allowed size';
  const refusal = {
    code: 'VALIDATION_FAILED',
    message: 'Invalid field: metadata.',
    fields: [{ field: 'metadata', reason: 'must leave the item with at most 100 keys and within 400 KB' }],
  };

  it.each([
    sdkError('ValidationException', { message: large }),
    sdkError('ValidationException', { message: 'Item size to update has exceeded the maximum allowed size' }),
    sdkError('TransactionCanceledException', {
      CancellationReasons: [{ Code: 'ValidationError', Message: large }, { Code: 'None' }],
    }),
  ])('is the caller’s error: %s', (error) => {
    const callersError = asCallersError(error);
    expect(callersError).toBeInstanceOf(CatalogError);
    expect(callersError).toMatchObject(refusal);
  });

  it.each([
    sdkError('ValidationException', { message: 'Invalid UpdateExpression: Syntax error' }),
    sdkError('ThrottlingException', { message: large }),
    sdkError('TransactionCanceledException', {
      CancellationReasons: [{ Code: 'ConditionalCheckFailed', Message: large }],
    }),
    new Error('x'),
  ])('is not the meaning of %s, which is returned unchanged', (error) => {
    expect(asCallersError(error)).toBe(error);
  });
});
