import { listItems } from '../../../client/items/readItems.ts';
import { type Catalog, type Item, loadCatalog, type Schemas, unwrap } from '../../../client/public/index.ts';
import type { TestApi } from '../api/testApi.ts';
import { clientOf } from './clientOf.ts';

type Send = () => Promise<Response>;
type IsMeant = (request: Request) => boolean;

export const isCreate: IsMeant = ({ method }) => method === 'POST';
export const isUpdate: IsMeant = ({ method }) => method === 'PUT';
export const isRead: IsMeant = ({ method }) => method === 'GET';

/** A client whose requests can be held back, lost, or answered by a test. */
export async function meetRequests(api: TestApi) {
  let meet = (_: Request, send: Send): Promise<Response> => send();
  const newClient = (user?: keyof TestApi['tokens']) =>
    clientOf(api, user, (request) => meet(request, () => fetch(request)));
  const client = newClient();
  const catalog: Catalog = await loadCatalog(client);
  let names = 0;

  function meetAll(act: typeof meet): void {
    meet = act;
  }
  /** Only the next request of a kind. */
  function meetNext(isMeant: IsMeant, act: (send: Send) => Promise<Response>): void {
    meet = (request, send) => {
      if (!isMeant(request)) return send();
      meet = (_, others) => others();
      return act(send);
    };
  }
  return {
    client,
    newClient,
    catalog,
    meetAll,
    meetNext,
    /** From now on, all are sent. */
    leave: () => meetAll((_, send) => send()),
    /**
     * Holds back the next answer to such a request until it is released. A request that is aborted before gets none: a list
     * sends it again as soon as it is loaded.
     */
    hold(isMeant: IsMeant) {
      const [sent, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isHeld = false;
      meetAll(async (request, send) => {
        const answer = await send();
        if (isHeld || !isMeant(request)) return answer;
        isHeld = true;
        sent.resolve();
        await held.promise;
        return answer;
      });
      return { sent: sent.promise, release: held.resolve };
    },
    lose: (isMeant: IsMeant) =>
      meetNext(isMeant, async (send) => {
        await send();
        throw new TypeError('The connection was lost');
      }),
    /** No name begins with another one. */
    newName: () => `Hook${++names}.`,
    named: (name: string): Promise<Item[]> =>
      Array.fromAsync(listItems(client, { search: name, include_inactive: true })),
    created: async (body: Schemas['NewItem']): Promise<Item> =>
      unwrap(await client.POST('/api/v1/api/v1/items', { params: {}, body })).data,
    async update(id: number, body: Schemas['ItemChanges']): Promise<void> {
      unwrap(await client.PUT('/api/v1/api/v1/items/{id}', { params: { path: { id } }, body }));
    },
  };
}
