import { expect, it } from 'vitest';
import { connect } from '../../../lib/runtime/connect.ts';

it('the client does nothing for a message that the service does not need', () => {
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
