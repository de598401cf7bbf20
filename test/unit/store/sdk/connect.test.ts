import { expect, it } from 'vitest';
import { connect } from '../../../../lib/store/sdk/connect.ts';

it('the client runs only the middleware that the service needs', () => {
  const names = connect({ region: 'local' })
    .middlewareStack.identify()
    .map((text) => text.split(' ')[0]);
  expect(names).toEqual([
    'serializerMiddleware',
    'contentLengthMiddleware',
    'hostHeaderMiddleware',
    'recursionDetectionMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
});
