import type { Key } from './keys.ts';
import { keyAttributes } from './keys.ts';

/** An update that keeps DynamoDB from deleting a record. It does not recreate a record that is already deleted. */
export const removeExpiry = (key: Key) => ({
  Key: key,
  UpdateExpression: 'REMOVE #expiry',
  ConditionExpression: 'attribute_exists(#expiry)',
  ExpressionAttributeNames: { '#expiry': keyAttributes.expiry },
});
