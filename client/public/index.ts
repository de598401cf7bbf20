/** `catalog-client`: a client of the service, and what all other parts of the package have in common. */
export type { Answer, Catalog, FieldError, Item, Refusal, Schemas } from '../http/answer.ts';
export { RequestError, unwrap } from '../http/answer.ts';
export type { CallerStorage, Client, ClientOptions, RequestOptions, TokenRequest } from '../http/catalogClient.ts';
export { createCatalogClient, loadCatalog, newKey } from '../http/catalogClient.ts';
export type { Messages, Notice, OthersChange, Problem, SheetNotice, Texts } from '../http/messages.ts';
export { messagesOf, noticeOf, textOf } from '../http/messages.ts';
export type { AllTexts } from '../texts/en.ts';
