import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { usesEmbeddedEngine } from '../support/usesEmbeddedEngine.ts';
import { Artifacts, functionEnvironments } from './artifacts.ts';
import { svgOf } from './chart.ts';
import type { Bench, Sampling } from './section.ts';
import { sections } from './sections.ts';

/** As little as leaves no part out; the peers, which would be fetched, are left out. */
const sampling: Sampling = {
  functions: ['createItem', 'authorizer'],
  items: 4,
  starts: 1,
  warm: { turns: 1, requests: 1 },
  store: { turns: 1, requests: 4, clients: [1, 2] },
  failures: 1,
  scale: [10],
  memory: 10,
};

let artifacts: Artifacts;
let bench: Bench;

beforeAll(() => {
  artifacts = new Artifacts();
  bench = {
    artifacts,
    environments: functionEnvironments(),
    sampling,
    engine: async () => ({ dynamodb: inject('dynamodb'), tableSchema: inject('tableSchema') }),
    missingPeers: 'Left out',
    progress: () => undefined,
  };
});
afterAll(() => artifacts.remove());

it.runIf(usesEmbeddedEngine).each(Object.entries(sections))(
  'the section %s of the bench finds figures and no gaps',
  async (_, section) => {
    const { tables, charts = [] } = await section(bench);
    expect(tables.length).toBeGreaterThan(0);
    for (const { title, rows } of tables) {
      expect(rows, title).not.toEqual([]);
      const columns = Object.keys(rows[0] ?? {});
      for (const row of rows) {
        expect(Object.keys(row), title).toEqual(columns);
        expect(JSON.stringify(Object.values(row)), title).not.toMatch(/null|NaN|undefined/);
      }
    }
    for (const chart of charts) expect(svgOf(chart)).toMatch(/<rect class="project"/);
  },
);
