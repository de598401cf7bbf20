import { addAccountCommands } from './accounts/accountCommands.ts';
import { addTokenCommands } from './accounts/tokenCommands.ts';
import { type AdminIO, adminProgram, workOnTable } from './adminProgram.ts';
import { addChangesCommand } from './items/changesCommand.ts';
import { addItemCommands } from './items/itemCommands.ts';
import { addRestoreCommand } from './restore/restoreCommand.ts';
import { addRollbackCommand } from './rollbackCommand.ts';
import { addHeartbeatCommand } from './smoke/heartbeatCommand.ts';
import { addSmokeCommand } from './smoke/smokeCommand.ts';
import { addStatusCommand } from './status/statusCommand.ts';
import { addVerifyCommand } from './verification/verifyCommand.ts';

export function createAdmin(io: AdminIO) {
  const admin = adminProgram();
  const on = workOnTable(io);
  addAccountCommands(admin, on);
  addTokenCommands(admin, on, io);
  addItemCommands(admin, on);
  addChangesCommand(admin, on);
  addVerifyCommand(admin, io);
  addRestoreCommand(admin);
  addRollbackCommand(admin, io);
  addSmokeCommand(admin);
  addStatusCommand(admin, io);
  addHeartbeatCommand(admin, on);
  return admin;
}
