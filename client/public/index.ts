/** `catalog-client`: a client of the service, and what all other parts of the package have in common. */

export type {
  Answer,
  CallerStorage,
  Catalog,
  Client,
  FieldError,
  Item,
  Refusal,
  RequestOptions,
  Schemas,
} from '../http/catalogClient.ts';
export { loadCatalog, newKey, RequestError, unwrap } from '../http/catalogClient.ts';
export { type ClientOptions, createCatalogClient, type TokenRequest } from '../http/createCatalogClient.ts';
export type { Messages, Notice, OthersChange, Problem, SheetNotice, Texts } from '../http/messages.ts';
export { messagesOf, noticeOf, textOf } from '../http/messages.ts';
export type { AllTexts } from '../texts/en.ts';
