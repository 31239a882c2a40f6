# Spanish.
words spaced

let sep = (?: ?(?:[(\[{<:,;–—]|…|\.\.)| -)
let noun = (?:ruta|carpeta|archivo|nombre|valor|opción|respuesta|texto|cosa)
let enter = (?:escrib(?:ir|[ae])|ingres(?:ar|[ae])|introducir|indicar?|especificar?|elegir|elige|selecciona)
let tail = (?: (?:personalizad[oa]|manualmente|aquí)|{sep}.*)?
let object = {noun}{tail}

whole:
  (?:otr[oa]s?|algo (?:más|diferente)|en otro lugar|personalizad[oa]){tail}
  (?:otr[oa]|tu|su|mi|{enter}|{enter} (?:el|la|una?|su|otra)) {object}
  (?:ruta|nombre|valor|opción|respuesta|texto|entrada) (?:personalizad[oa]|libre){tail}
  {enter} (?:manualmente|aquí)
  ningun[oa] de (?:l[oa]s )?(?:anteriores|opciones|est[oa]s)
  no está en la lista
  (?:opción|respuesta)[ ]?(?:[0-9]{1,2}|[a-z])
  por (?:definir|especificar)
  te l[oa] (?:digo|indico)(?: yo)?

prefix:
  por favor
  yo (?:te )?l[oa]
  (?:quiero|déjame) {enter}
