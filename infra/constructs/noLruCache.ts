/**
 * Takes the place of the LRU cache in which the SDK would keep discovered endpoints. The functions do not discover
 * endpoints, so the SDK only creates this cache and never uses it; the real one and its dependencies weigh 7 KB.
 */
export default class NoLruCache {}
