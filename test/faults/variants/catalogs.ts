import type { Variant } from '../process.ts';

/** Stores that send DynamoDB the wrong requests, or in the wrong order. */

export const noRecord: Variant = {
  catalog: (open) => (context) => {
    const store = open(context);
    return { ...store, insertItem: (fields) => store.insertItem(fields) };
  },
};

export const noUpdateKeys: Variant = {
  catalog: (open) => (context) => {
    const store = open(context);
    return { ...store, modifyItem: ({ key: _key, ...modification }) => store.modifyItem(modification) };
  },
};
