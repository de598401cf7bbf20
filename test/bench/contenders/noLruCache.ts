/** Takes the place of the LRU cache in which the SDK would keep the endpoints that it discovers, of which there are none. */
export default class NoLruCache {}
