/** A part of the page cannot be loaded: there is no network, or the page has been deployed anew. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded';

  constructor(options?: ErrorOptions) {
    super('A part of the page could not be loaded. Try again, or load the page again.', options);
  }
}
