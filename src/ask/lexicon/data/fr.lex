# French.
words spaced

let sep = (?: ?(?:[(\[{<:,;–—]|…|\.\.)| -)
let noun = (?:chemin|dossier|fichier|nom|valeur|option|réponse|texte|chose)
let enter = (?:saisir|entrer|indiquer|préciser|écrire|choisir)
let tail = (?: (?:personnalisée?|libre|manuellement|ici)|{sep}.*)?
let object = {noun}{tail}

whole:
  (?:une? )?autres?{tail}
  (?:(?:une? )?autre|votre|ma|mon|{enter}|{enter} (?:le|une?|votre)) {object}
  (?:quelque chose d'autre|ailleurs|personnalisée?|{enter}){tail}
  (?:chemin|nom|valeur|option|réponse|texte|saisie) (?:personnalisée?|libre){tail}
  aucune? (?:de ces |des )?(?:options|choix|réponses|ci-dessus)
  pas dans la liste
  je (?:vais )?(?:l'|le |vous )(?:indiqu|précis|donn|di|écri|saisi).*
  (?:option|choix|réponse)[ ]?(?:[0-9]{1,2}|[a-z])
  à (?:définir|préciser)

prefix:
  veuillez
  (?:je (?:vais|veux)(?: l'| le| la)?|laissez-moi) {enter}
  (?:saisissez|entrez|indiquez|précisez|choisissez) (?:le|la|une?|votre)
