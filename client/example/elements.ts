/** What the files of the page use to find and make elements. */

export const byId = <Kind extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as Kind;

export function element(tag: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

export const quoted = (value: unknown) => (value === null ? 'nothing' : (JSON.stringify(value) ?? '…'));

export const counted = (number: number) => number.toLocaleString();
