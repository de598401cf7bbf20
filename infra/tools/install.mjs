// Installs the dependencies when they are not those of package-lock.json. Runs before the scripts that need them, on
// whatever Node the machine has and with nothing installed: on Linux the packages bring the Node that the project runs on.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

requireNode();
if (!isInstalled()) install();

/** Node for Linux comes with the packages. Elsewhere the machine's own runs the project, which must understand TypeScript. */
function requireNode() {
  const { platform, arch, versions } = process;
  const brought = platform === 'linux' && ['x64', 'arm64'].includes(arch);
  const [major, minor] = versions.node.split('.').map(Number);
  if (brought ? major >= 20 : major > 22 || (major === 22 && minor >= 18)) return;
  const needed = brought ? 'Node 20 or newer' : `Node 22.18 or newer on ${platform} (${arch})`;
  console.error(`The catalog service needs ${needed}, and this is Node ${versions.node}.`);
  process.exit(1);
}

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
