// Installs the dependencies when they are not those of package-lock.json. Runs before the scripts that need them, on
// whatever Node the machine has and with nothing installed: the packages bring the Node that the project runs on.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`The catalog service needs Node 20 or newer, and this is Node ${process.versions.node}.`);
  process.exit(1);
}
if (!isInstalled()) install();

/** Compares with the list that npm keeps of what it has installed; an optional package may be absent. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf(join('node_modules', '.package-lock.json'));
  const same = (path) => installed[path]?.integrity === wanted[path]?.integrity;
  return (
    Object.keys(installed).every((path) => path in wanted) &&
    Object.keys(wanted).every((path) => path === '' || same(path) || (wanted[path].optional && !(path in installed)))
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return {};
  }
}

function install() {
  console.error('Installing the dependencies…');
  // Not by the Node of the packages, which is about to be replaced.
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== join(root, 'node_modules', '.bin'));
  const options = {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH: path.join(delimiter) },
  };
  const { status } = spawnSync('npm', ['ci'], options);
  if (status === 0) return;
  console.error('The dependencies could not be installed: npm ci failed.');
  process.exit(1);
}
