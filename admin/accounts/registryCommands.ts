import { usageError, valueOption } from '../../cli/options.ts';
import type { Account } from '../../lib/item/account.ts';
import { newNames } from '../../lib/item/configurationFields.ts';
import { addCategory, addUnit, changeCategory, setDefaults } from '../../lib/store/catalog/configureAccount.ts';
import type { ActionOn, AdminProgram } from '../adminProgram.ts';
import { columns } from '../columns.ts';
import { accountOption, categoryNameOption, categoryOption, defaultCategory, tax, unitDecimals } from '../options.ts';
import { showAccount } from './accounts.ts';

const account = () => accountOption().makeOptionMandatory();
const category = () => categoryOption().makeOptionMandatory();
const categoryName = () => categoryNameOption().makeOptionMandatory();

/** Adds the commands for the defaults, categories and units of accounts. */
export function addRegistryCommands(admin: AdminProgram, on: ActionOn): void {
  addDefaultsCommand(admin, on);
  addCategoryCommands(admin, on);
  addUnitCommands(admin, on);
}

function addDefaultsCommand(admin: AdminProgram, on: ActionOn): void {
  admin
    .command('defaults')
    .description('Sets the defaults of accounts.')
    .command('set')
    .description('Sets the default category and tax, for new items whose request names none.')
    .addOption(account())
    .addOption(valueOption('--category <id>', 'the id of the default category, or none', defaultCategory))
    .addOption(valueOption('--tax <tax>', 'the default tax', tax))
    .hook('preAction', (command) => {
      const { category: id, tax: amount } = command.opts();
      if (id === undefined && amount === undefined) throw usageError("Give '--category', '--tax', or both");
    })
    .action(
      on(async (session, values) => {
        const { category: id, tax: amount } = values;
        const defaults = {
          ...(id !== undefined && { category: id === 'none' ? null : id }),
          ...(amount !== undefined && { tax: amount }),
        };
        await setDefaults(session, values.account, defaults);
        return {
          text: `The defaults of the account ${values.account} were set.`,
          data: { account: values.account, ...defaults },
        };
      }),
    );
}

function addCategoryCommands(admin: AdminProgram, on: ActionOn): void {
  const categories = admin.command('category').description('Adds, renames, archives, unarchives and lists categories.');
  categories
    .command('add')
    .description('Adds a category with the next id.')
    .addOption(account())
    .addOption(categoryName())
    .action(
      on(async (session, values) => {
        const id = await addCategory(session, values.account, values.name);
        return { text: `Category ${id} was added.`, data: { id, name: values.name, archived: false } };
      }),
    );
  categories
    .command('rename')
    .description('Renames a category. Responses show the new name within a minute.')
    .addOption(account())
    .addOption(category())
    .addOption(categoryName())
    .action(
      on(async (session, values) => {
        await changeCategory(session, values.account, values.category, { name: values.name });
        return { text: `Category ${values.category} was renamed.`, data: { id: values.category, name: values.name } };
      }),
    );
  categories
    .command('archive')
    .description('Archives a category. Items keep it, but within a minute it can no longer be chosen.')
    .addOption(account())
    .addOption(category())
    .action(
      on(async (session, values) => {
        await changeCategory(session, values.account, values.category, { archived: true });
        return { text: `Category ${values.category} was archived.`, data: { id: values.category, archived: true } };
      }),
    );
  categories
    .command('unarchive')
    .description('Makes an archived category one that can be chosen again, within a minute.')
    .addOption(account())
    .addOption(category())
    .action(
      on(async (session, values) => {
        await changeCategory(session, values.account, values.category, { archived: false });
        return { text: `Category ${values.category} is open again.`, data: { id: values.category, archived: false } };
      }),
    );
  categories
    .command('list')
    .description('Lists the categories of an account.')
    .addOption(account())
    .action(on(async (session, values) => categoriesOf(await showAccount(session, values.account))));
}

function addUnitCommands(admin: AdminProgram, on: ActionOn): void {
  const units = admin.command('unit').description('Registers and lists units.');
  units
    .command('add')
    .description('Registers a unit. It cannot be changed later, because quantities are rounded to its decimals.')
    .addOption(account())
    .addOption(valueOption('--unit <unit>', 'the unit, as used in items', newNames.unit).makeOptionMandatory())
    .addOption(
      valueOption(
        '--decimals <number>',
        'the number of decimals of quantities in this unit',
        unitDecimals,
      ).makeOptionMandatory(),
    )
    .action(
      on(async (session, { account: id, unit, decimals }) => {
        await addUnit(session, id, unit, decimals);
        return { text: `The unit ${unit} was registered.`, data: { unit, decimals } };
      }),
    );
  units
    .command('list')
    .description('Lists the units of an account.')
    .addOption(account())
    .action(on(async (session, values) => unitsOf(await showAccount(session, values.account))));
}

/** An account's categories, sorted by id. */
export function categoriesOf({ categories }: Account): { text: string; data: { id: number }[] } {
  const data = [...categories].map(([id, { name, archived }]) => ({ id, name, archived })).sort((a, b) => a.id - b.id);
  const rows = data.map(({ id, name, archived }) => [id, archived ? 'archived' : 'open', name]);
  return { data, text: columns([['id', 'state', 'name'], ...rows]) };
}

/** An account's units. */
export const unitsOf = ({ units }: Account) => ({
  data: [...units].map(([unit, decimals]) => ({ unit, decimals })),
  text: columns([['unit', 'decimals'], ...units]),
});
