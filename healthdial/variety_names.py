"""Names of the language varieties and of countries, as speakers may write them."""

from __future__ import annotations

TABLES = {
    "ara": """
        MA Moroccan Arabic: moroccan, مغربي, marocain, marroqui
        DZ Algerian Arabic: algerian, جزائري, algerien
        TN Tunisian Arabic: tunisian, تونسي, tunisien, tounsi
        LY Libyan Arabic: libyan, ليبي, libyen
        MR Mauritanian Arabic: mauritanian, موريتاني, mauritanien
        EG Egyptian Arabic: egyptian, مصري, egyptien, masri, cairene, صعيدي
        SD Sudanese Arabic: sudanese, سوداني, soudanais
        TD Chadian Arabic: chadian, تشادي, tchadien
        SA Saudi Arabic: saudi, saudi arabian, سعودي, hijazi, najdi, حجازي, نجدي
        AE Emirati Arabic: emirati, إماراتي
        KW Kuwaiti Arabic: kuwaiti, كويتي
        QA Qatari Arabic: qatari, قطري
        BH Bahraini Arabic: bahraini, بحريني
        OM Omani Arabic: omani, عماني
        YE Yemeni Arabic: yemeni, يمني, yemenite
        IQ Iraqi Arabic: iraqi, عراقي, irakien
        SY Syrian Arabic: syrian, سوري, syrien
        LB Lebanese Arabic: lebanese, لبناني, libanais
        JO Jordanian Arabic: jordanian, أردني, jordanien
        PS Palestinian Arabic: palestinian, فلسطيني, palestinien
        -- Levantine Arabic: levantine, shami, شامي
        -- Gulf Arabic: gulf, khaleeji, khaliji, خليجي
        -- Maghrebi Arabic: maghrebi, مغاربي, darija, derja, darja, دارجة
        """,
    "eng": """
        US American English: american, us american, african american
        GB British English: british, scottish, welsh, northern irish, scouse, geordie, cockney
        AU Australian English: australian, aussie
        CA Canadian English: canadian
        IE Irish English: irish, hiberno
        NZ New Zealand English: new zealander, kiwi
        ZA South African English: south african
        IN Indian English: indian
        PK Pakistani English: pakistani
        NG Nigerian English: nigerian
        KE Kenyan English: kenyan
        GH Ghanaian English: ghanaian
        UG Ugandan English: ugandan
        ZW Zimbabwean English: zimbabwean
        SG Singapore English: singaporean, singlish
        MY Malaysian English: malaysian, manglish
        PH Philippine English: philippine, filipino
        HK Hong Kong English: hongkonger
        JM Jamaican English: jamaican
        """,
    "spa": """
        ES European Spanish: european, europeo, peninsular, andaluz, andalusian, canario, canarian
        MX Mexican Spanish: mexican, mexicano, mejicano
        AR Argentine Spanish: argentine, argentino, argentinian, argentinean, porteño
        CO Colombian Spanish: colombian, colombiano
        PE Peruvian Spanish: peruvian, peruano
        VE Venezuelan Spanish: venezuelan, venezolano
        CL Chilean Spanish: chilean, chileno
        EC Ecuadorian Spanish: ecuadorian, ecuatoriano, ecuadorean
        GT Guatemalan Spanish: guatemalan, guatemalteco
        CU Cuban Spanish: cuban, cubano
        BO Bolivian Spanish: bolivian, boliviano
        DO Dominican Spanish: dominican, dominicano
        HN Honduran Spanish: honduran, hondureño
        PY Paraguayan Spanish: paraguayan, paraguayo
        SV Salvadoran Spanish: salvadoran, salvadoreño, salvadorian, salvadorean
        NI Nicaraguan Spanish: nicaraguan, nicaragüense
        CR Costa Rican Spanish: costa rican, costarricense
        PA Panamanian Spanish: panamanian, panameño
        UY Uruguayan Spanish: uruguayan, uruguayo
        PR Puerto Rican Spanish: puerto rican, puertorriqueño, boricua
        GQ Equatoguinean Spanish: equatoguinean, ecuatoguineano
        -- Latin American Spanish: latin american, latinoamericano, hispanoamericano, latino
        -- Rioplatense Spanish: rioplatense
        -- Caribbean Spanish: caribbean, caribeño
        """,
    "zho": """
        CN Mainland Mandarin: 普通话, 普通話, putonghua
        TW Taiwan Mandarin:
        SG Singapore Mandarin:
        MY Malaysian Mandarin:
        HK+MO Cantonese: cantonese, cantonés, 粤语, 粵語, 广东话, 廣東話, 广州话, 廣州話, yue chinese, guangdonghua
        -- Mandarin: mandarin, mandarín, 国语, 國語, 华语, 華語, 官话, 官話, guoyu, huayu
        -- Southern Min: southern min, min nan, minnan, hokkien, teochew, 闽南语, 閩南語, 闽南话, 台语, 台語
        -- Hakka: hakka, 客家话, 客家話, 客语, 客語
        -- Wu: wu chinese, shanghainese, 吴语, 吳語, 上海话, 上海話, 苏州话, 杭州话, 宁波话
        -- Xiang: xiang chinese, hunanese, 湘语, 湖南话, 长沙话
        -- Gan: gan chinese, 赣语, 江西话, 南昌话
        -- Jin: jin chinese, 晋语, 山西话, 太原话
        -- Southwestern Mandarin: southwestern mandarin, sichuan mandarin, sichuanese, 西南官话, 四川话, 四川話, 成都话
        -- Northeastern Mandarin: northeastern mandarin, 东北话, 東北話, dongbeihua
        """,
}
"""Language -> lines of: ISO 3166-1 codes of the countries whose speakers are taken to speak the variety unless the
text says more, the variety, and what it is called. Its country may be named instead (`Taiwan` and `Mandarin`)."""

COUNTRY_ALIASES: dict[str, str] = {
    "GB": "uk, great britain, britain, england, scotland, wales, northern ireland, inglaterra, gran bretaña, بريطانيا",
    "US": "us, usa, america, eeuu, ee uu, أمريكا, 美國",
    "IE": "republic of ireland, eire",
    "AE": "uae, emirates, الإمارات",
    "SA": "ksa, saudi",
    "SY": "سوريا, سورية",
    "PS": "palestine, gaza, west bank, فلسطين",
    "CN": "prc, pr china, mainland china, mainland, 中国大陆, 中國大陸, 大陆, 大陸",
    "TW": "taiwanese, 台灣, 中国台湾, 中國台灣",
    "SG": "singaporean",
    "MY": "malaysian, 大马",
    "HK": "hongkong, hong kong sar, hong kong china, 中国香港, 中國香港",
    "MO": "macau, 中国澳门, 中國澳門",
}
"""Names of countries that ISO 3166-1 lacks."""

NO_VARIETY = (
    "new mexico, nuevo mexico, new england, new south wales, british columbia, port of spain, indiana, "
    "south american, north american, central american, austrian, nigerien, mauritian, "
    "español, española, castellano, espagnol, english, arabic, spanish, chinese"
)
"""Words that hold or resemble the name of a variety or country, and are none."""

AMBIGUOUS = ("عمان",)
"""Oman and Amman are written alike: a country only where a country was asked for."""
