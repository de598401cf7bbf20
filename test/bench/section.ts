import type { FunctionName } from '../../infra/constructs/functionAccess.ts';
import type { TestEngine } from '../support/testTable.ts';
import type { Artifacts, functionEnvironments } from './artifacts.ts';

/** Rows whose columns have the same names. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

/** A picture of a part of a table. */
export interface Chart {
  /** The name of its file in docs/. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly { readonly title: string; readonly bars: readonly Bar[] }[];
}

export interface Bar {
  readonly title: string;
  readonly kind: 'project' | 'floor' | 'peer';
  readonly value: number;
}

/** What is printed, and may be written to the page. */
export interface Findings {
  readonly tables: readonly Table[];
  /** What must be known to read the tables right. */
  readonly notes?: readonly string[];
  readonly charts?: readonly Chart[];
}

/** How much is measured. */
export interface Sampling {
  readonly functions: readonly FunctionName[];
  /** How many items each contender has to be updated: more than there are clients. */
  readonly items: number;
  /** How many processes are started of each bundle. */
  readonly starts: number;
  /** How many turns each has in the warm path, and of how many requests. */
  readonly warm: { readonly turns: number; readonly requests: number };
  /** The same on the engine, for each number of clients. */
  readonly store: { readonly turns: number; readonly requests: number; readonly clients: readonly number[] };
  /** How many failures are logged in a process. */
  readonly failures: number;
  /** How many items there are. */
  readonly scale: readonly number[];
  /** Over how many requests memory is watched. */
  readonly memory: number;
}

/** What the sections share. */
export interface Bench {
  readonly artifacts: Artifacts;
  readonly environments: ReturnType<typeof functionEnvironments>;
  readonly sampling: Sampling;
  /** A running engine, which is started when it is first asked for. */
  readonly engine: () => Promise<TestEngine>;
  /** Why there are no peers; undefined: they are there. */
  readonly missingPeers: string | undefined;
  /** Says how far the section is. */
  readonly progress: (text: string) => void;
}

export type Section = (bench: Bench) => Promise<Findings>;
