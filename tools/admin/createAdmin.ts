import { addAccountCommands } from './accountCommands.ts';
import { actionsOn, adminProgram, type Surroundings } from './adminProgram.ts';
import { addRegistryCommands } from './registryCommands.ts';
import { addRestoreCommand } from './restoreCommand.ts';
import { addSmokeCommand } from './smokeCommand.ts';
import { addTokenCommands } from './tokenCommands.ts';
import { addVerifyCommand } from './verifyCommand.ts';

/** The operators' program. */
export function createAdmin(surroundings: Surroundings) {
  const admin = adminProgram();
  const on = actionsOn(surroundings);
  addAccountCommands(admin, on);
  addRegistryCommands(admin, on);
  addTokenCommands(admin, on);
  addVerifyCommand(admin);
  addRestoreCommand(admin);
  addSmokeCommand(admin);
  return admin;
}
