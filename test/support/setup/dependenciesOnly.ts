import { registerHooks } from 'node:module';
import client from '../../../client/package.json' with { type: 'json' };
import manifest from '../../../package.json' with { type: 'json' };

// `npm test` installs no devDependencies. Where they are installed, whatever the tests load or start must do without.
const names = Object.keys({ ...manifest.devDependencies, ...client.devDependencies });
const folders = names.map((name) => `/node_modules/${name}/`);

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (folders.some((folder) => resolved.url.includes(folder)))
      throw new Error(`${specifier} is a devDependency, which npm test does not install.`);
    return resolved;
  },
});
