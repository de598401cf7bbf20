import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../lib/http/openapi/openApiDocument.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { runCommand } from '../cli/runCommand.ts';

const file = fileURLToPath(new URL('../../openapi.json', import.meta.url));

await runCommand(async () => {
  writeFileSync(file, `${JSON.stringify(openApiDocument(packageJson.version), undefined, 2)}\n`);
  return 0;
});
