// Installs the dependencies unless they already match package-lock.json. It runs before the npm scripts that need them,
// so it must work with nothing installed and on the machine's own Node. What only checks and deployments need
// (devDependencies) is left out until `--include=dev` asks for it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const modules = join(root, 'node_modules');

const { platform, arch, versions } = process;
const [major, minor] = versions.node.split('.').map(Number);
/** On Linux, the dependencies include Node 24, for machines with another version. */
const isPackaged = platform === 'linux' && ['x64', 'arm64'].includes(arch);
const packagedNode = join(modules, '.bin', 'node');

const wanted = packagesOf(join(root, 'package-lock.json'));
const installed = packagesOf(join(modules, '.package-lock.json'));
const includesDev = process.argv.includes('--include=dev') || Object.values(installed).some(({ dev }) => dev);

requireNode();
const isNodeMissing = isPackaged && major !== 24 && !existsSync(packagedNode);
// If Node was removed after an installation with Node 24, npm's list still has it, so only a new installation helps.
const isOutdated = isNodeMissing || !Object.keys(installed).every(isWanted);
if (isOutdated || !isComplete()) install();

/** Elsewhere the machine's own Node runs the project, so it must support TypeScript. */
function requireNode() {
  if (isPackaged ? major >= 20 : major > 22 || (major === 22 && minor >= 18)) return;
  const needed = isPackaged ? 'Node 20 or newer' : `Node 22.18 or newer on ${platform} (${arch})`;
  console.error(`The catalog service needs ${needed}, but this is Node ${versions.node}.`);
  process.exit(1);
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return {};
  }
}

/** Compares with npm's own list of installed packages. A package that its registry does not list has no integrity hash. */
function isWanted(path) {
  const { version, integrity } = installed[path];
  return wanted[path]?.version === version && wanted[path]?.integrity === integrity;
}

function isComplete() {
  const mayBeMissing = ({ optional, devOptional, dev }) => optional || devOptional || (dev && !includesDev);
  return Object.keys(wanted).every((path) => path === '' || path in installed || mayBeMissing(wanted[path]));
}

function install() {
  console.error('Installing the dependencies…');
  // Adds what is missing without touching the rest, which a running service may be using.
  const command = isOutdated || Object.keys(installed).length === 0 ? ['ci'] : ['install', '--no-save'];
  // Do not use the Node in node_modules, which npm may be about to replace.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== join(modules, '.bin'));
  const options = {
    cwd: root,
    // npm shows its progress only if both of its outputs are a terminal. What it prints is not the script's output.
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: path.join(delimiter) },
  };
  const { status } = spawnSync('npm', [...command, includesDev ? '--include=dev' : '--omit=dev'], options);
  if (status !== 0) {
    console.error(`The dependencies could not be installed: npm ${command[0]} failed.`);
    process.exit(1);
  }
  if (isPackaged) placeNode(`node-linux-${arch}`);
}

/**
 * Removes the 189 MB of Node, which npm cannot leave out, if this is the machine's own Node 24 and not the packaged one.
 * Otherwise links it again: npm 10 removes the link together with the package for the other architecture.
 */
function placeNode(name) {
  rmSync(packagedNode, { force: true });
  if (major === 24 && !process.execPath.startsWith(modules))
    rmSync(join(modules, name), { recursive: true, force: true });
  else symlinkSync(join('..', name, 'bin', 'node'), packagedNode);
}
