import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { escaped, print, printError } from '../../cli/print.ts';
import { showProgress } from '../../cli/showProgress.ts';

describe('an escaped text', () => {
  it.each([
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['a C1 control, which begins a sequence too', '\u009b31m', '\\u009b31m'],
    ['delete', 'a\u007f', 'a\\u007f'],
    ['line breaks and tabs', 'a\r\n\tb', 'a\\u000d\\u000a\\u0009b'],
    ['separators of lines and paragraphs', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['a reversed order', '\u202egnp.exe\u2066', '\\u202egnp.exe\\u2066'],
    ['zero-width characters', 'a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
    ['tags beyond the first plane', 'a\u{e0041}', 'a\\udb40\\udc41'],
  ])('shows %s', (_, text, shown) => {
    expect(escaped(text)).toBe(shown);
  });

  it.each(['', 'Chair', 'é 日本 😀', '\u00a0', '✂️', '"\\\\"'])('leaves %j unchanged', (text) => {
    expect(escaped(text)).toBe(text);
  });
});

describe('printing', () => {
  function spyOn(method: 'log' | 'error') {
    const spy = vi.spyOn(console, method).mockReturnValue(undefined);
    onTestFinished(() => spy.mockRestore());
    return () => spy.mock.calls;
  }

  it('shows the progress as plain lines, twice a minute, where that is no terminal', async () => {
    vi.useFakeTimers();
    const printed = spyOn('error');
    const task = async () => void vi.advanceTimersByTime(61_000);
    await showProgress(() => '7 rows', task);
    vi.advanceTimersByTime(60_000);
    expect(printed()).toEqual([['7 rows'], ['7 rows']]);
  });

  it('keeps lines separate and escapes each', () => {
    const printed = spyOn('log');
    print('one\u202e\ntwo');
    expect(printed()).toEqual([['one\\u202e\ntwo']]);
  });

  it('keeps JSON equivalent', () => {
    const printed = spyOn('log');
    const value = { name: 'a\u0085\u202e\u{e0041}\u2028\u007f\n' };
    print(JSON.stringify(value));
    const [[text]] = printed() as [[string]];
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(text)).toEqual(value);
  });

  it('escapes the text that an error quotes, and keeps its stack trace', () => {
    const printed = spyOn('error');
    printError('GET /\u009b:', new Error('\u202e'));
    const [[text]] = printed() as [[string]];
    expect(text).toMatch(/^GET \/\\u009b: Error: \\u202e\n {4}at /);
  });
});
