import type { components } from '../catalogApi.ts';
import { enForm } from './enForm.ts';

/** What to say for each rule of the service. */
const rules: Readonly<Record<components['schemas']['Rule'], string>> = {
  required: 'This is required.',
  type: 'This is not of the right kind.',
  choice: 'Choose one of those offered.',
  min: 'It must be at least {limit}.',
  max: 'It must be at most {limit}.',
  max_length: 'It must have at most {limit} characters.',
  max_items: 'At most {limit} are possible.',
  max_depth: 'It must not be nested more than {limit} levels deep.',
  max_bytes: 'It must have at most {limit} bytes.',
  pattern: 'It has characters or a form that are not possible here, such as a tab or an invisible sign.',
  unknown_reference: 'There is no such entry.',
  taken: 'Item {item} has it already.',
  exclusive: 'It cannot be combined with the others.',
  repeated: 'It is there twice.',
  unknown_parameter: 'There is no field of this name.',
};

/** What to say for the codes of the service's errors and the results of an undo. In braces is what they name. */
const codes = {
  NOTHING_TO_UPDATE: 'Nothing is changed.',
  ITEM_NOT_FOUND: 'This item does not exist.',
  taken_by_inactive: 'Item {item} has it already, and is inactive.',
  no_item_with_code: 'No item has this code.',
  ITEM_ALREADY_EXISTS: 'Another item has this code already.',
  VALIDATION_FAILED: 'Something is not valid.',
  INVALID_JSON: 'The request cannot be read.',
  INVALID_REQUEST: 'The request is not valid.',
  UNAUTHORIZED: 'The access token is missing, not valid, or has expired. Sign in again.',
  FORBIDDEN: 'You may not do this.',
  no_account: 'Your user has no open account in this catalog. Ask an administrator.',
  NOT_FOUND: 'There is no such address.',
  METHOD_NOT_ALLOWED: 'This address does not support the request.',
  CATEGORY_NOT_FOUND: 'This category does not exist.',
  UNIT_ALREADY_EXISTS: 'This unit exists already.',
  CHANGES_EXPIRED: 'Changes of that time are no longer kept.',
  PRECONDITION_FAILED: '{by} has changed the item since.',
  PAYLOAD_TOO_LARGE: 'This is too much text: shorten it.',
  UNSUPPORTED_MEDIA_TYPE: 'The request has a form that the service does not know.',
  IDEMPOTENCY_KEY_REUSED: 'Something else was sent in its place before.',
  TOO_MANY_REQUESTS: 'Too many requests. Try again shortly.',
  INTERNAL_ERROR: 'The request has failed. It may have been carried out: try again.',
  SERVICE_UNAVAILABLE: 'The service is busy. Try again shortly.',
  GATEWAY_TIMEOUT: 'The service has not answered in time. Try again.',
  older_service: 'The service is older than this page.',
  UNEXPECTED_RESPONSE: 'Something before the service has answered. Try again.',
  'put back': 'put back',
  'right already': 'right already',
  'changed since': 'changed since',
  'created, and written since': 'created, and written since',
  'item removed': 'item removed',
  'too large to be kept': 'too large to be kept',
  'category archived': 'category archived',
  'unit unknown': 'unit unknown',
  'would be rounded': 'would be rounded',
  'too many keys': 'too many custom fields',
  'identifier taken': 'code taken',
  refused: 'refused',
};

/**
 * @example const { inputs } = messagesOf(error, en);
 */
export const en = { ...rules, ...codes, ...enForm };

/** A text for each rule, code and result, with what it is about in braces: `catalog-client/en`, `catalog-client/pt`. */
export type AllTexts = Readonly<Record<keyof typeof en, string>>;
