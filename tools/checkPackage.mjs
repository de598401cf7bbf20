// Runs before npm packs: two packages of one version are the same to the last byte. It keeps what was packed in packed.json.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = ['package.json', 'README.md', ...readdirSync('dist', { recursive: true }).map((name) => `dist/${name}`)];
const hash = createHash('sha256');
for (const file of files.sort()) if (statSync(file).isFile()) hash.update(file).update(readFileSync(file));
const sha256 = hash.digest('hex');
const packed = JSON.parse(readFileSync('packed.json', 'utf8'));
if (packed.version === version && packed.sha256 !== sha256) {
  console.error(
    `The package has changed since ${version}: raise its version, and say what has changed in CHANGELOG.md.`,
  );
  process.exit(1);
}
writeFileSync('packed.json', `${JSON.stringify({ version, sha256 }, null, 2)}\n`);
