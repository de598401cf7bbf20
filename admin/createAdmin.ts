import { addAccountCommands } from './accounts/accountCommands.ts';
import { addTokenCommands } from './accounts/tokenCommands.ts';
import { actionsOn, adminProgram, type Surroundings } from './adminProgram.ts';
import { addChangesCommand } from './items/changesCommand.ts';
import { addItemCommands } from './items/itemCommands.ts';
import { addRestoreCommand } from './restore/restoreCommand.ts';
import { addRollbackCommand } from './rollbackCommand.ts';
import { addHeartbeatCommand } from './smoke/heartbeatCommand.ts';
import { addSmokeCommand } from './smoke/smokeCommand.ts';
import { addStatusCommand } from './status/statusCommand.ts';
import { addVerifyCommand } from './verification/verifyCommand.ts';

export function createAdmin(surroundings: Surroundings) {
  const admin = adminProgram();
  const on = actionsOn(surroundings);
  addAccountCommands(admin, on);
  addTokenCommands(admin, on, surroundings);
  addItemCommands(admin, on);
  addChangesCommand(admin, on);
  addVerifyCommand(admin, surroundings);
  addRestoreCommand(admin);
  addRollbackCommand(admin, surroundings);
  addSmokeCommand(admin);
  addStatusCommand(admin, surroundings);
  addHeartbeatCommand(admin, on);
  return admin;
}
