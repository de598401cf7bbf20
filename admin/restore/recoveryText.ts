import { settingsOf } from '../../infra/environments.ts';
import type { GivenTable } from '../adminProgram.ts';

/** Says how long deleted records can still be restored. */
export const recoveryText = ({ environment }: Pick<GivenTable, 'environment'>): string =>
  environment === undefined
    ? 'It cannot be restored.'
    : `Point-in-time recovery still holds it for ${settingsOf(environment).recoveryDays} days, and backups for as long as they are kept. A restore to a time before now would put it back.`;
