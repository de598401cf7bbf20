import type { Key } from './keys.ts';
import { keyAttributes } from './keys.ts';

/** The update that keeps DynamoDB from deleting a record. It makes none where DynamoDB was faster. */
export const removeExpiry = (key: Key) => ({
  Key: key,
  UpdateExpression: 'REMOVE #expiry',
  ConditionExpression: 'attribute_exists(#expiry)',
  ExpressionAttributeNames: { '#expiry': keyAttributes.expiry },
});
