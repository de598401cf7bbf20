import { addAccountCommands } from './accountCommands.ts';
import { actionsOn, adminProgram, type Surroundings, tableActionsOn } from './adminProgram.ts';
import { addChangesCommand } from './changesCommand.ts';
import { addHeartbeatCommand } from './heartbeatCommand.ts';
import { addItemCommands } from './itemCommands.ts';
import { addRegistryCommands } from './registryCommands.ts';
import { addRestoreCommand } from './restoreCommand.ts';
import { addSmokeCommand } from './smokeCommand.ts';
import { addTokenCommands } from './tokenCommands.ts';
import { addVerifyCommand } from './verifyCommand.ts';

/** The operators' program. */
export function createAdmin(surroundings: Surroundings) {
  const admin = adminProgram();
  const on = actionsOn(surroundings);
  const onTable = tableActionsOn(surroundings);
  addAccountCommands(admin, on, onTable);
  addRegistryCommands(admin, on);
  addTokenCommands(admin, on, surroundings);
  addItemCommands(admin, onTable);
  addChangesCommand(admin, onTable);
  addVerifyCommand(admin);
  addRestoreCommand(admin);
  addSmokeCommand(admin);
  addHeartbeatCommand(admin, onTable);
  return admin;
}
