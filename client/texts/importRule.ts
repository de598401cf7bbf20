/** What only an import asks, remarks or refuses. The other rules are those of sheets and of the contract. */
export type ImportRule =
  | 'own_export'
  | 'made_before'
  | 'differs_in_case'
  | 'total'
  | 'rounded_qty'
  | 'lost_zeros'
  | 'no_price'
  | 'taken_by_inactive'
  | 'not_of_export'
  | 'unreadable'
  | 'expired'
  | 'storage_unavailable'
  | 'not_secure'
  | 'not_loaded'
  | 'older_service';
