import { addAccountCommands } from './accounts/accountCommands.ts';
import { addTokenCommands } from './accounts/tokenCommands.ts';
import { actionsOn, adminProgram, type Surroundings, tableActionsOn } from './adminProgram.ts';
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
  const onTable = tableActionsOn(surroundings);
  addAccountCommands(admin, on, onTable);
  addTokenCommands(admin, on, surroundings);
  addItemCommands(admin, onTable);
  addChangesCommand(admin, onTable);
  addVerifyCommand(admin, surroundings);
  addRestoreCommand(admin);
  addRollbackCommand(admin, surroundings);
  addSmokeCommand(admin);
  addStatusCommand(admin, surroundings);
  addHeartbeatCommand(admin, onTable);
  return admin;
}
