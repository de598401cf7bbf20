// Installs the dependencies unless they already match package-lock.json. It runs before the npm scripts that need them,
// so it must work with nothing installed and on the machine's own Node. On Linux, the Node that runs the project is
// itself one of the dependencies.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

requireNode();
if (!isInstalled()) install();

/**
 * On Linux, the dependencies include Node 24. Elsewhere the machine's own Node runs the project, so it must support
 * TypeScript.
 */
function requireNode() {
  const { platform, arch, versions } = process;
  const isPackaged = platform === 'linux' && ['x64', 'arm64'].includes(arch);
  const [major, minor] = versions.node.split('.').map(Number);
  if (isPackaged ? major >= 20 : major > 22 || (major === 22 && minor >= 18)) return;
  const needed = isPackaged ? 'Node 20 or newer' : `Node 22.18 or newer on ${platform} (${arch})`;
  console.error(`The catalog service needs ${needed}, but this is Node ${versions.node}.`);
  process.exit(1);
}

/**
 * Compares package-lock.json with npm's own list of installed packages. Optional packages may be missing. A package
 * that its registry does not list has only a version, without an integrity hash.
 */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf(join('node_modules', '.package-lock.json'));
  const same = (path) =>
    installed[path]?.version === wanted[path]?.version && installed[path]?.integrity === wanted[path]?.integrity;
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
  // Do not use the Node in node_modules, which npm is about to replace.
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
