import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CommandError } from '../../infra/cli/commandError.ts';
import { findProgram } from '../../infra/cli/findProgram.ts';

/** A page of a headless browser, driven by its own protocol (Chrome DevTools Protocol), which needs no package. */
export interface BrowserPage {
  /** The value of an expression in the page; of a promise, what it resolves to. */
  evaluate<T>(expression: string): Promise<T>;
  /** Types into whatever has the focus. */
  type(text: string): Promise<void>;
  /** What the page can be seen as, in PNG. */
  screenshot(): Promise<Buffer>;
  /** The addresses that the page has asked for, and what its console has complained of. */
  readonly requested: readonly string[];
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Opens a page. @throws CommandError when there is no browser */
export async function openPage(url: string): Promise<BrowserPage> {
  const program = names.map(findProgram).find((found) => found !== undefined);
  if (program === undefined) throw new CommandError(`None of ${names.join(', ')} is on the PATH.`);
  const profile = mkdtempSync(join(tmpdir(), 'catalog-browser-'));
  const options = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--window-size=1280,1100',
  ];
  const own = [`--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'];
  const browser = spawn(program, [...options, ...own], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(browser, 'exit');
  const close = async (): Promise<void> => {
    browser.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { ...(await drive(await debuggerOf(browser.stderr), url)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function debuggerOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const address = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (address !== undefined) {
      output.resume();
      return address;
    }
  }
  throw new Error('The browser has ended');
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string }; readonly entry?: { readonly text: string } };
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A connection to the browser, and what it has told of the page. */
async function connect(address: string) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  const requested: string[] = [];
  const complaints: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { id, params, result, error } = JSON.parse(data) as Message;
    const answer = id === undefined ? undefined : pending.get(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(error);
    if (params?.request !== undefined) requested.push(params.request.url);
    if (params?.entry !== undefined) complaints.push(params.entry.text);
  });
  let last = 0;
  const send = <T>(method: string, params: object, sessionId?: string): Promise<T> => {
    const answer = Promise.withResolvers<unknown>();
    last += 1;
    pending.set(last, answer);
    socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    return answer.promise as Promise<T>;
  };
  return { send, requested, complaints };
}

async function drive(address: string, url: string): Promise<Omit<BrowserPage, 'close'>> {
  const { send, requested, complaints } = await connect(address);
  const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const inPage = <T>(method: string, params: object = {}) => send<T>(method, params, sessionId);
  for (const domain of ['Page', 'Network', 'Log']) await inPage(`${domain}.enable`);
  await inPage('Page.navigate', { url });
  const evaluate = async <T>(expression: string): Promise<T> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const answer = await inPage<{ result: { value: T }; exceptionDetails?: unknown }>('Runtime.evaluate', options);
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  const screenshot = async () =>
    Buffer.from((await inPage<{ data: string }>('Page.captureScreenshot', { format: 'png' })).data, 'base64');
  return { requested, complaints, evaluate, type: (text) => inPage('Input.insertText', { text }), screenshot };
}
