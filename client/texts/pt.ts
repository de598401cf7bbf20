import type { Texts } from '../http/catalogClient.ts';

/** @example const { inputs } = messagesOf(error, pt); */
export const pt: Texts = {
  language: 'pt',
  required: 'É obrigatório.',
  type: 'Não é do tipo certo.',
  choice: 'Escolha uma das opções.',
  min: 'Deve ser no mínimo {limit}.',
  max: 'Deve ser no máximo {limit}.',
  max_length: 'Deve ter no máximo {limit} caracteres.',
  max_items: 'São possíveis no máximo {limit}.',
  max_depth: 'Não pode ter mais de {limit} níveis.',
  max_bytes: 'Deve ter no máximo {limit} bytes.',
  pattern: 'Tem caracteres ou um formato que não são possíveis aqui.',
  unknown_reference: 'Este registro não existe.',
  taken: 'O item {item} já o usa.',
  exclusive: 'Não pode ser combinado com os outros.',
  repeated: 'Está repetido.',
  unknown_parameter: 'Não há campo com este nome.',
};
