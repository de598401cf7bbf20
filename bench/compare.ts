import { deployed } from './contender.ts';
import type { Functions } from './programs.ts';
import { measuredFunctions, operations } from './requests.ts';
import { functionStarter, measureStarts } from './starts.ts';
import { median, ratios, spread } from './statistics.ts';
import { measureWarm } from './warm.ts';
import type { Setting } from './worker.ts';

const row = (of: string, before: readonly number[] = [], after: readonly number[] = []) => ({
  of,
  'before, CPU µs': Math.round(median(before)),
  'after, CPU µs': Math.round(median(after)),
  'after / before': spread(ratios(after, before)),
});

/** Compares the functions of two commits: CPU of the start, of the first request, and of each operation when warm. */
export async function compare(setting: Setting, before: Functions, after: Functions, progress: (text: string) => void) {
  const names = measuredFunctions.filter((name) => name in before && name in after);
  progress('starts');
  const starters = names.flatMap((name) => [before, after].map((functions) => functionStarter(name, functions[name])));
  const starts = await measureStarts(setting, starters);
  const startRows = names.flatMap((name, index) => {
    const [from = [], to = []] = starts.slice(2 * index);
    return (['init', 'first'] as const).map((part) => {
      const [old, new_] = [from, to].map((costs) => costs.map((cost) => cost[part]));
      return row(`${part === 'init' ? 'init of' : 'first request to'} ${name}`, old, new_);
    });
  });
  const contenders = [deployed('before', before), deployed('after', after)];
  const warm = await measureWarm(setting, contenders, names, progress);
  return [...startRows, ...[...warm].map(([operation, [old, new_]]) => row(operations[operation].title, old, new_))];
}
