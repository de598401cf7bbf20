import type { FunctionName } from '../infra/constructs/functionAccess.ts';
import { type Functions, stubAccount } from './programs.ts';
import { functionRequest, type OperationName, operationsOf } from './requests.ts';
import type { Request } from './turn.ts';
import type { Program } from './worker.ts';

/** An implementation of the operations. */
export interface Contender {
  /** The program for the operations of a function; undefined if there is none. */
  readonly program: (name: FunctionName) => Program | undefined;
  readonly request: (operation: OperationName) => Request;
  readonly lacks: readonly OperationName[];
}

const asGatewayPasses = (operation: OperationName): Request => functionRequest(operation, stubAccount);

/** The functions of a commit. */
export const deployed = (functions: Functions): Contender => ({
  program: (name) => functions[name],
  request: asGatewayPasses,
  lacks: [],
});

/** A bundle that exports the operations as functions of a request's number. */
export const exporting = (program: Program, lacks: readonly OperationName[]): Contender => ({
  program: () => program,
  request: (operation) => ({ operation }),
  lacks,
});

/** A function that only creates items. */
export const usual = (program: Program): Contender => ({
  program: (name) => (name === 'createItem' ? program : undefined),
  request: asGatewayPasses,
  lacks: operationsOf('createItem').filter((operation) => operation !== 'create'),
});
