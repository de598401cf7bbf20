import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunningCatalog } from './catalog.ts';
import { introduction } from './introduction.ts';
import { writeServiceFile } from './serviceFile.ts';

const help = `Runs the catalog service on this machine.

  npm start -- [options]

  --data DIR   keep the data in a folder; without it, they are in memory
  --bundled    run the functions as they are built for AWS, instead of from their sources
  --help       show this

The variable PORT chooses the port: 3000 unless it is set, 0 for any free one.`;

/** Ends the program with a sentence for a person. A defect keeps its stack, which is for developers. */
function fail(error: unknown, status: number): never {
  const expected = error instanceof Error && error.name === 'Error';
  console.error(expected ? error.message : error);
  process.exit(status);
}

function readArguments(): { data: string | undefined; bundled: boolean; help: boolean } {
  try {
    const options = { data: { type: 'string' }, bundled: { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const { data, bundled = false, help = false } = parseArgs({ options }).values;
    if (data === '') throw new Error("Option '--data' needs a folder");
    return { data: data === undefined ? undefined : resolve(data), bundled, help };
  } catch (error) {
    // Node's message goes on with advice that does not fit.
    const [sentence] = (error as Error).message.split('. ');
    return fail(new Error(`${sentence}; --help shows the options.`), 2);
  }
}

function readPort(): number {
  const text = process.env['PORT'] ?? '3000';
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  return fail(new Error(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}.`), 1);
}

async function start(): Promise<void> {
  const { data, bundled, help: helpWanted } = readArguments();
  if (helpWanted) {
    console.log(help);
    return;
  }
  const port = readPort();
  // Whoever asks for help or mistypes an option need not wait for the CDK to load.
  const { startCatalog } = await import('./catalog.ts');
  const catalog = await startCatalog({ port, data, bundled });
  endWith(catalog);
  // A function that fails outside of its call must not end the service of the others.
  process.on('uncaughtException', (error) => console.error('Something failed outside of a request:', error));
  console.log(introduction(catalog, data));
}

/** Tells other programs of the service for as long as it runs. Before this, a signal ends all by itself: the engine ends with us. */
function endWith(catalog: RunningCatalog): void {
  const file = writeServiceFile(catalog);
  let ending = false;
  const end = async (status: number): Promise<void> => {
    ending = true;
    file.remove();
    await catalog.close();
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(0));
  catalog.engineEnded.then(() => {
    if (ending) return;
    console.error('The DynamoDB engine has ended, and the service with it.');
    end(1);
  });
}

await start().catch((error) => fail(error, 1));
