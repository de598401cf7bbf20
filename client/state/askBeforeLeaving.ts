/** Asks before the page is closed or loaded again, if there is a page, and as long as it is due. @returns what ends that */
export function askBeforeLeaving(isDue = () => true): () => void {
  const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;
  const ask = (event: Event) => isDue() && event.preventDefault();
  page.addEventListener?.('beforeunload', ask);
  return () => page.removeEventListener?.('beforeunload', ask);
}
