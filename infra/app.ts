import { createApp } from './catalogApp.ts';
import { SettingsError } from './environments.ts';
import { addRules } from './rules.ts';

try {
  const app = createApp({ bundling: true, validation: true });
  addRules(app);
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
