/** The request headers that a browser may send from another origin. */
export const allowedHeaders = ['authorization', 'content-type', 'if-match'] as const;

/** The response headers that a browser may show to a page from another origin. */
export const exposedHeaders = ['etag', 'location', 'retry-after', 'x-request-id'] as const;
