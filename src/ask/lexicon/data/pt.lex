# Portuguese.
words spaced

let sep = (?: ?(?:[(\[{<:,;–—]|…|\.\.)| -)
let noun = (?:caminho|pasta|arquivo|nome|valor|opção|resposta|texto|porta|coisa)
let enter = (?:escrever|escreva|inserir|insira|digit(?:ar|e)|informar|especificar|escolher|escolha|selecione)
let tail = (?: (?:personalizad[oa]|manualmente|aqui)|{sep}.*)?
let object = {noun}{tail}

whole:
  (?:outr[oa]s?|algo (?:mais|diferente)|em outro lugar|personalizad[oa]){tail}
  (?:outr[oa]|seu|sua|meu|minha|{enter}|{enter} (?:o|a|uma?|seu|outra)) {object}
  (?:caminho|nome|valor|opção|resposta|texto|entrada) (?:personalizad[oa]|livre){tail}
  {enter} (?:manualmente|aqui)
  nenhuma? (?:d[oa]s |dess[ea]s )?(?:anteriores|opções|acima)
  não está na lista
  (?:opção|resposta)[ ]?(?:[0-9]{1,2}|[a-z])
  a (?:definir|especificar)

prefix:
  por favor
  eu (?:mesm[oa] )?(?:informo|digo|escrevo|digito)
  (?:quero|deixe-me|me deixe) {enter}
