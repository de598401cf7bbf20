import type { Section } from './section.ts';
import { failures } from './sections/failures.ts';
import { memory } from './sections/memory.ts';
import { scale } from './sections/scale.ts';
import { sizes } from './sections/sizes.ts';
import { starts } from './sections/starts.ts';
import { store } from './sections/store.ts';
import { warm } from './sections/warm.ts';

/** All sections by the names that `--only` takes, in the order of the page. */
export const sections: Readonly<Record<string, Section>> = { sizes, starts, warm, store, scale, failures, memory };
