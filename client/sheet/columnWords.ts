/** Targets suggested for columns of other systems, by the words of their names. */

/** By language, without blanks and signs. A rate is no amount, and a stock is no quantity on a proposal: `metadata`. */
const table = `
# English
name: name title product item article productname itemname articlename; value: price msrp rrp
cost: cost costperitem unitcost wholesale purchase; sku: code no nr number reference internalreference defaultcode variantsku
pn: barcode gtin ean upc isbn mpn partnumber partno partnr; category: category categories
unit: unitofmeasure uom unit; description: longdescription body bodyhtml details
active: published enabled visible active01; tax: taxamount; tag: tags
metadata: taxrate vat vatrate tax gst stock instock inventory onhand
# German
name: artikel produkt bezeichnung titel artikelname produktname artikelbezeichnung; value: preis; cost: einkauf
sku: nummer artikelnr artnr artikelnummer bestellnummer bestellnr; category: kategorie warengruppe
unit: einheit; description: beschreibung; active: aktiv; tax: steuerbetrag; pn: strichcode
metadata: mwst mwstsatz ust steuersatz bestand lager
# French
name: produit designation libelle nom nomduproduit; value: prix tarif; cost: achat; sku: ref ugs codearticle
category: categorie; unit: unite; metadata: tva
# Spanish
name: producto articulo nombre titulo; value: precio; cost: compra coste; sku: codigo referencia
# Spanish, Portuguese, Italian
category: categoria; unit: unidad unidade unita; description: descripcion descricao descrizione
# Portuguese
name: produto nome; value: preco; cost: custo; metadata: iva estoque existencias giacenza
# Italian
name: prodotto articolo titolo; value: prezzo; cost: acquisto costo; sku: codice riferimento
# Dutch
name: naam productnaam; value: prijs; cost: inkoop; unit: eenheid; description: omschrijving
metadata: btw voorraad
# Polish
name: nazwa towar nazwatowaru nazwaproduktu; value: cena; cost: zakup; sku: kod symbol indeks
category: kategoria; unit: jm
# Czech, Slovak, Croatian
name: nazev zbozi nazevzbozi nazevproduktu nazov naziv ime; cost: nakup nabav; category: kategorija
unit: mj jednotka; value: cijena cenik; description: opis popis; metadata: dph pdv skladem zasoba stan
# Russian
name: название наименование товар номенклатура; value: цена стоимость; cost: закуп себестоимость
sku: артикул код; pn: штрихкод; category: категория группа; unit: ед едизм единица; metadata: ндс остаток
# Ukrainian
name: назва наименування найменування; value: ціна вартість; category: категорія група; unit: од одвим
# Russian, Ukrainian
description: описание опис; metadata: пдв залишок наличие
# Turkish
name: urun urunadi adi baslik; value: fiyat fiyati; cost: alis maliyet; sku: kodu stokkodu urunkodu; unit: birim
pn: barkod; description: aciklama; metadata: kdv stok
# Nordic
name: navn namn nimi varenavn varunamn benamning tuote tuotenimi; value: pris hinta; unit: enhet enhed yksikko
cost: innkjøp innkjop inkop indkøb ostohinta; sku: varenr varenummer artikelkod koodi tuotekoodi
category: kategori luokka; description: beskrivelse beskrivning kuvaus; metadata: moms mva alv lager saldo
# Hungarian, Romanian
name: nev megnevezes termek denumire produs nume; value: ar eladasiar pret; cost: beszerzesi; sku: cikkszam
# Greek
name: ονομα προιον περιγραφη; value: τιμη; sku: κωδικοσ κωδικος; category: κατηγορια; metadata: φπα αφα
# Arabic, Hebrew
name: الاسم المنتج שם שםהמוצר; value: السعر سعر מחיר; sku: الرمز الكود מקט; category: الفئة קטגוריה
# Chinese
name: 名称 品名 商品名 商品名称 产品名称 產品名稱 产品 商品; value: 价格 價格 单价 單價 售价 售價 零售价; cost: 成本 进价 進價; sku: 编号 編號 货号 型号 商品编号 编码
category: 分类 分類 类别 類別; unit: 单位 單位; metadata: 库存 庫存 税率
# Japanese
name: 名前 品目; value: 価格 単価 売価 値段 販売価格 定価 金額; cost: 原価 仕入; sku: 商品コード 品番 型番 コード; category: カテゴリ カテゴリー 区分 部門
unit: 単位; description: 説明 描述; pn: jan janコード; metadata: 在庫 消費税
# Korean
name: 상품명 제품명 품명; value: 가격 단가 판매가; cost: 원가 매입; sku: 코드 상품코드; category: 카테고리 분류
`;

/** Letters and digits without case and signs. */
const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

const fieldsInOrder = 'cost value name pn sku category unit description active tax tag metadata'.split(' ');

const wordsOf = new Map<string, string[]>();
for (const [, field = '', list = ''] of table.matchAll(/(\w+): ([^;\n]+)/g))
  wordsOf.set(field, [...(wordsOf.get(field) ?? []), ...list.split(' ').map(folded)]);

/** Those of other prices, which are no item's usual one, and of what is said about a price. */
const otherPrices =
  /(?<!whole)sale(?!s)|unit$|special|promo|discount|compare|^old|^was|rebate|type|currency|level|from|until|date|akcni|oferta|акци|стар|скид|indirim/;

const isLong = (word: string): boolean => word.length > 4 || !/^[a-z]/.test(word);
const thing = /^(product|item|article|artikel|produkt|variant|art|stock|part|goods)(?=.)/;

/** How a name has the words of a field, if not exactly. */
const matches: Readonly<Partial<Record<string, (name: string, word: string) => boolean>>> = {
  // A price is named at the beginning or the end: `unit price`, `price in EUR`.
  value: isPrice,
  cost: (name, word) => name.includes(word) && wordsOf.get('value')?.some((price) => isPrice(name, price)) === true,
  pn: (name, word) => name.startsWith(word),
  category: (name, word) => name.startsWith(word),
  metadata: (name, word) => isLong(word) && name.startsWith(word),
};

function isPrice(name: string, word: string): boolean {
  if (otherPrices.test(name)) return false;
  return name === word || ((word.length > 3 || isLong(word)) && (name.startsWith(word) || name.endsWith(word)));
}

/** Among several prices, what an item usually costs: it is called a price and nothing else, or the sales price. */
export function isUsualPrice(name: string): boolean {
  // Of two currencies, none is usual.
  if (/\p{Sc}/u.test(name)) return false;
  const bare = folded(name);
  const isPlain = wordsOf.get('value')?.some((word) => word === bare || word === bare.replace(thing, ''));
  return isPlain === true || /^(sales|selling|retail)|verkauf|vente|venta|venda|vendita/.test(bare);
}

/** Returns the target that a name of another system suggests; `metadata`: a custom field. */
export function suggestionFor(name: string): string | undefined {
  const bare = folded(name);
  const names = [bare, bare.replace(thing, '')].filter((text) => text !== '');
  const has = (field: string, text: string) => (word: string) =>
    (text === word && field !== 'value') || matches[field]?.(text, word) === true;
  return fieldsInOrder.find((field) => names.some((text) => wordsOf.get(field)?.some(has(field, text))));
}
