import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newFields } from '../fields.ts';

export { digits, idOf, lastWrite } from '../fields.ts';

export const client = new DynamoDBClient();
export const documentClient = DynamoDBDocumentClient.from(client);
export const account = process.env.BENCH_ACCOUNT;
export const tableName = process.env.CATALOG_TABLE;

/** The fields of a new item. Ids are handed out by the number of the request, where the service leases them. */
export const itemFields = (number) => newFields(number, number);
