/** Asks before the page is closed or loaded again, if there is a page. @returns what ends that */
export function askBeforeLeaving(): () => void {
  const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;
  const ask = (event: Event) => event.preventDefault();
  page.addEventListener?.('beforeunload', ask);
  return () => page.removeEventListener?.('beforeunload', ask);
}
